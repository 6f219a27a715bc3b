"""Reads a worker's assignment from the mounted file. Accepts only the YAML that the operator writes; a YAML library works as well.

Whatever it does not understand is an error: half an assignment is worse than the last good one.
"""
import hashlib
import json
import re

NOTHING = {"jobs": [], "version": 0, "releasing": [], "parameters": {}, "weights": {}, "restarts": {}, "policy": {}}


def my_slice(text, worker):
    """This worker's entry: jobs, version, parameters, weights, restarts, policy. ValueError if the file cannot be trusted."""
    document = read_yaml(text)
    if not isinstance(document, dict) or document.get("format", 1) != 1:
        raise ValueError("not an assignment of format 1")
    version, workloads = document.get("version"), document.get("workloads")
    if not isinstance(version, int) or version < 1 or not isinstance(workloads, dict):
        raise ValueError("no version, or no workloads")
    # No entry: the worker was removed, and has no streams from this version on.
    entry = workloads.get(worker, {"jobs": []})
    if not isinstance(entry, dict) or not isinstance(entry.get("jobs"), list):
        raise ValueError("my entry has no list of jobs")
    mine = {**NOTHING, "version": version, **entry}
    if not all(isinstance(mine[part], dict) for part in ("parameters", "weights", "restarts", "policy")):
        raise ValueError("a part of my entry is no mapping")
    if not isinstance(mine["policy"].get("maxRestarts", 1), int):
        raise ValueError("policy.maxRestarts is no number")
    mine["jobs"] = [str(job) for job in mine["jobs"]]
    return mine, version


def is_permitted(mine, annotation, pod_uid):
    """Handoff Exclusive: does the annotation name exactly this slice and this pod?"""
    try:
        told = json.loads(annotation)
        asked = [mine["jobs"], mine["releasing"], mine["parameters"], mine["weights"]]
        text = json.dumps(asked, ensure_ascii=False, separators=(",", ":"))
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        return (told["uid"], told["version"], told["digest"]) == (pod_uid, mine["version"], digest)
    except (ValueError, KeyError, TypeError):
        return False


def read_yaml(text):
    lines = text.rstrip("\n").split("\n")
    value, at = _block(lines, 0, 0)
    if at != len(lines):
        raise ValueError(f"line {at + 1} is not understood")
    return value


def _indent(line):
    return len(line) - len(line.lstrip(" "))


def _block(lines, at, indent):
    """The mapping or list that begins at this line, and the number of the first line after it."""
    is_list = lines[at].lstrip(" ").startswith("- ")
    value = [] if is_list else {}
    while at < len(lines) and _indent(lines[at]) == indent:
        text = lines[at][indent:]
        at += 1
        if is_list:
            if not text.startswith("- "):
                raise ValueError(f"line {at} is no item of the list")
            item, at = _value(lines, at, indent, text[2:])
            value.append(item)
        else:
            key, rest, at = _pair(lines, at, indent, text)
            value[key], at = _value(lines, at, indent, rest)
    return value, at


def _pair(lines, at, indent, text):
    """The key, the rest of its line, and the number of the next line. A key of several lines, or a long one, is on a line of its own after `? `."""
    if not text.startswith("? "):
        return *_key(text, at), at
    if at == len(lines) or not lines[at].startswith(" " * indent + ":"):
        raise ValueError(f"line {at} has no value")
    key = text[2:]
    return (_scalar(key) if key[0] in "'\"" else key), lines[at][indent + 2:], at + 1


def _key(text, number):
    found = re.match(r"""('(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[^ \t'"\[\]{}&*!|>%@`#,?-](?:[^:]|:(?=[^ \t]))*|[-?][^ \t](?:[^:]|:(?=[^ \t]))*):(?: (.*))?$""", text)
    if found is None:
        raise ValueError(f"line {number} is no `key: value`")
    key = found[1]
    return (_scalar(key) if key[0] in "'\"" else key), found[2] or ""


def _value(lines, at, indent, text):
    if text == "":
        if at < len(lines) and _indent(lines[at]) > indent:
            return _block(lines, at, _indent(lines[at]))
        raise ValueError(f"line {at} has no value")
    literal = re.fullmatch(r"\|([1-9]?)([-+]?)", text)
    if literal:
        start = at
        while at < len(lines) and (lines[at].strip(" ") == "" or _indent(lines[at]) > indent):
            at += 1
        # If a text begins with a space, a digit gives the indentation of its lines.
        depth = indent + int(literal[1]) if literal[1] else min((_indent(line) for line in lines[start:at] if line.strip(" ")), default=0)
        body = "\n".join(line[depth:] for line in lines[start:at]) + "\n"
        return {"-": body.rstrip("\n"), "": body.rstrip("\n") + "\n", "+": body}[literal[2]], at
    return _scalar(text), at


_escapes = {"0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029"}


def _scalar(text):
    if text in ("[]", "{}"):
        return [] if text == "[]" else {}
    if re.fullmatch(r"'(?:[^']|'')*'", text):
        return text[1:-1].replace("''", "'")
    if re.fullmatch(r'"(?:[^"\\]|\\.)*"', text):
        hex_or_name = r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))"
        return re.sub(hex_or_name, lambda m: chr(int(m[1] or m[2] or m[3], 16)) if m[4] is None else _escapes[m[4]], text[1:-1])
    if re.fullmatch(r"-?[0-9]+", text):
        return int(text)
    if text[0] in "[]{}&*!|>%@`#,'\"" or text.startswith(("? ", "- ")):
        raise ValueError(f"{text!r} is not understood")
    return text
