#!/usr/bin/env python3
"""A native plugin in Python, with the standard library alone. Needs Python 3.8 or newer.

Every line of standard input is one JSON-RPC 2.0 request; every request gets one line on standard output; nothing else
is ever written there. Everything that is read or written has a bound, so that no sender can make it grow.
"""

import json
import math
import os
import sys
import unicodedata

PROTOCOL_VERSION = "webcodex-plugin-v1"

# The protocol allows 1 MiB a line; these are this plugin's own, smaller bounds, fit for its one tool.
INPUT_MAX_BYTES = 64 * 1024
OUTPUT_MAX_BYTES = 128 * 1024
DEPTH_MAX = 16  # the root counts as 0
NODES_MAX = 4096
TEXT_MAX_CHARACTERS = 4096

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602

TOOLS = [
    {
        "name": "echo",
        "description": "Answers with the text that it was given.",
        "inputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string", "minLength": 1, "maxLength": TEXT_MAX_CHARACTERS}},
            "required": ["text"],
            "additionalProperties": False,
        },
        "outputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string", "maxLength": TEXT_MAX_CHARACTERS}},
            "required": ["text"],
            "additionalProperties": False,
        },
        "annotations": {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }
]


class Refusal(Exception):
    """A request that is answered with an error."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code
        self.message = message


def main():
    source = sys.stdin.buffer
    while True:
        # One byte more than a line may have, and its line feed: enough to tell a full line from one that is too long.
        line = source.readline(INPUT_MAX_BYTES + 1)
        if not line:
            return
        if len(line) > INPUT_MAX_BYTES and not line.endswith(b"\n"):
            send(error_response(None, INVALID_REQUEST, "request too large"))
            skip_line(source)
        else:
            send(answer(line.rstrip(b"\n")))


def skip_line(source):
    while True:
        part = source.readline(INPUT_MAX_BYTES)
        if not part or part.endswith(b"\n"):
            return


def answer(line):
    request_id = None
    try:
        request = parse(line)
        if not isinstance(request, dict) or request.get("jsonrpc") != "2.0":
            raise Refusal(INVALID_REQUEST, "not a JSON-RPC 2.0 request")
        if not is_request_id(request.get("id")):
            raise Refusal(INVALID_REQUEST, "request without a usable id")
        request_id = request["id"]
        method = request.get("method")
        if not isinstance(method, str) or not method:
            raise Refusal(INVALID_REQUEST, "request without a method")
        result = dispatch(method, request.get("params", {}))
        return {"jsonrpc": "2.0", "id": request_id, "result": result}
    except Refusal as refusal:
        return error_response(request_id, refusal.code, refusal.message)


def parse(line):
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise Refusal(PARSE_ERROR, "request is not JSON") from None
    check_shape(value)
    return value


def refuse_constant(name):
    # Python reads NaN and Infinity, JSON has neither.
    raise ValueError(name)


def check_shape(root):
    nodes = 0
    waiting = [(root, 0)]
    while waiting:
        value, depth = waiting.pop()
        nodes += 1
        if depth > DEPTH_MAX or nodes > NODES_MAX:
            raise Refusal(INVALID_REQUEST, "request too deep or too large")
        if isinstance(value, dict):
            waiting.extend((member, depth + 1) for member in value.values())
        elif isinstance(value, list):
            waiting.extend((member, depth + 1) for member in value)


def is_request_id(value):
    if isinstance(value, bool):
        return False
    return isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value))


def dispatch(method, params):
    if method not in ("initialize", "tools/list", "tools/call"):
        raise Refusal(METHOD_NOT_FOUND, "method not found")
    if not isinstance(params, dict):
        raise Refusal(INVALID_PARAMS, "params is not an object")
    if method == "initialize":
        if params.get("protocolVersion") != PROTOCOL_VERSION:
            raise Refusal(INVALID_PARAMS, "unsupported protocol version")
        return {"protocolVersion": PROTOCOL_VERSION}
    if method == "tools/list":
        return {"tools": TOOLS}
    if params.get("name") != "echo":
        raise Refusal(INVALID_PARAMS, "unknown tool")
    return echo(params.get("arguments"))


def echo(arguments):
    """The tool. The Runner has checked the arguments by the schema; whoever else calls is checked here."""
    if not isinstance(arguments, dict) or set(arguments) != {"text"}:
        raise Refusal(INVALID_PARAMS, "echo takes text and nothing else")
    text = arguments["text"]
    if not isinstance(text, str) or not 1 <= len(text) <= TEXT_MAX_CHARACTERS:
        raise Refusal(INVALID_PARAMS, "text must have 1 to 4096 characters")
    if not all(may_stand_in_text(character) for character in text):
        # A known failure is an ordinary result. Its structured content fits the output schema all the same.
        return {
            "content": [{"type": "text", "text": "The text holds a control character."}],
            "structuredContent": {"text": ""},
            "isError": True,
        }
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": {"text": text},
        "isError": False,
    }


def may_stand_in_text(character):
    # The Runner takes no control character in a text but these three, and no half of a surrogate pair.
    return character in "\t\n\r" or unicodedata.category(character) not in ("Cc", "Cs")


def error_response(request_id, code, message):
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def send(response):
    line = encode(response)
    if len(line) > OUTPUT_MAX_BYTES:
        line = encode(error_response(None, INVALID_REQUEST, "answer too large"))
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def encode(response):
    # Python escapes everything outside ASCII by default, so that a line is one line whatever the text holds.
    return json.dumps(response, separators=(",", ":")).encode("ascii") + b"\n"


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        # Nobody reads the answers any more. Python would flush once more at its end, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
