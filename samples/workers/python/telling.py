"""Reports the streams that are not simply running: promise 17 of docs/worker-contract.md."""
import re
import time
from collections import Counter
from urllib.parse import unquote

WORST_FIRST = ("Failed", "Restarting", "Starting", "Stopping")
WELL_AFTER = 60  # seconds of running
ENDS_COUNT_FOR = 300
OFFSET = [0.0]  # from the monotonic clock, which cannot be set, to the time of day


def date_of(moment):
    """The same text for the same moment in every answer, unless the clock was set."""
    now = time.time() - time.monotonic()
    if abs(now - OFFSET[0]) > 1:
        OFFSET[0] = now
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment + OFFSET[0]))


class Health:
    """The health of one stream. It fails after it has ended by itself three times in five minutes, until it has run for a minute."""

    def __init__(self):
        self.ends, self.since, self.runs, self.failed = [], time.monotonic(), False, False
        self.be_well()

    def be_well(self):
        self.failing, self.restarts, self.message, self.troubled_since = False, 0, "", None

    def started(self):
        if self.troubled_since is not None:
            self.restarts += 1
        self.since, self.runs = time.monotonic(), True

    def ended(self, message):
        now = time.monotonic()
        if now - self.since >= WELL_AFTER:
            self.be_well()
        self.ends = [*self.ends, now][-3:]
        self.failing = self.failing or (len(self.ends) == 3 and now - self.ends[0] <= ENDS_COUNT_FOR)
        self.troubled_since = self.troubled_since or now
        self.message, self.since, self.runs = message, now, False

    def give_up(self, most):
        """Has it reached its maximum of restarts without running well? Then it is Failed."""
        self.failed = most is not None and self.restarts >= most
        return self.failed

    def told(self):
        state, since = "Running" if self.runs else "Starting", self.since
        is_well = self.runs and time.monotonic() - self.since >= WELL_AFTER
        if self.failed:
            state = "Failed"
        elif self.failing and not is_well:
            state, since = "Restarting", self.troubled_since or since
        return {"state": state, "restarts": self.restarts, "since": date_of(since), "message": self.message}


def streams_told(told):
    """The members `streams` and `states` of an answer; `told`: name -> the report of each stream."""
    notable = [(name, it) for name, it in told.items() if it["state"] != "Running"]
    worst = sorted(notable, key=lambda pair: (WORST_FIRST.index(pair[1]["state"]), pair[1].get("since", "")))
    if not worst:
        return {"streams": {}}
    return {"streams": dict(worst[:100]), "states": Counter(it["state"] for it in told.values())}


def one_line(text, values):
    """The part of a message that may leave the pod: one line without values of parameters, short because an answer has up to a hundred."""
    line = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text[:2000]).split())
    hidden = set()
    for value in {spelling for value in values for spelling in (value, unquote(value))}:
        for at in range(len(line) - 4):
            if line[at : at + 5] in value:
                hidden.update(range(at, at + 5))
        if 0 < len(value) < 5:
            for word in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", line):
                hidden.update(range(*word.span()))
    shown = "".join("\0" if at in hidden else character for at, character in enumerate(line))
    return re.sub("\0+", "…", shown)[:120]
