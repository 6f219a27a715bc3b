"""Reads each assignment of standard input with the reader of samples/workers/python, whose folder is the argument; a line of JSON for each."""
import json
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import assignment


def pairs(mapping):
    """Pairs instead of an object: V8 misreads escaped keys of JSON (nodejs/node#63785)."""
    return [[key, pairs(value) if isinstance(value, dict) else value] for key, value in sorted(mapping.items())]


for line in sys.stdin:
    asked = json.loads(line)
    try:
        mine, version = assignment.my_slice(asked["text"], asked["worker"])
        permitted = assignment.is_permitted(mine, asked["annotation"], "u")
        print(json.dumps({"jobs": mine["jobs"], "parameters": pairs(mine["parameters"]), "version": mine["version"], "isPermitted": permitted}))
    except (ValueError, IndexError, KeyError, TypeError) as error:
        print(json.dumps({"error": repr(error)}))
