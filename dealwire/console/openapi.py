"""The console's interface as an OpenAPI 3.1 document: every address, what it takes, what it answers.

Served as `/openapi.json`, and published as `docs/openapi.json`. A test compares it with the routes of the console, and
another plays it against a running one.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from dealer_flow.record.base import line_schema
from dealwire.console.round_list import FIELDS
from dealwire.hub.actions import ROLES
from dealwire.hub.log_view import LogView
from dealwire.sheet.model import RoundSheet
from dealwire.version import __version__

Spec = dict[str, Any]

ROUND_MOST: Final = 2**32 - 1
STEP_MOST: Final = 10**10 - 1
_TEXT: Final[Spec] = {"type": "string"}
_HTML: Final = "text/html; charset=utf-8"
_PLAIN: Final = "text/plain; charset=utf-8"
_FORM: Final = "application/x-www-form-urlencoded"

WEBSOCKETS: Final[Mapping[str, str]] = {
    "/live": "All tables, as the page / shows them.",
    "/wall/live": "All tables, as the page /wall shows them.",
    "/live/{table}": "One table, as its page shows it.",
}
"""Live lines: address -> what travels on it. OpenAPI has no words for them; they carry parts of pages, not data."""


@cache
def document() -> Spec:
    """Return the whole document."""
    schema = line_schema(RoundSheet)
    schemas = {"RoundSheet": schema, **schema.pop("$defs", {}), **_schemas(), **_log_schemas()}
    schema.pop("$schema", None)
    found: Spec = {
        "openapi": "3.1.0",
        "info": _info(),
        "paths": {path: dict(operations) for path, operations in _paths().items()},
        "x-websockets": dict(WEBSOCKETS),
        "components": {"schemas": schemas, "securitySchemes": _security()},
    }
    written: Spec = json.loads(json.dumps(found).replace("#/$defs/", "#/components/schemas/"))
    return written


def _info() -> Spec:
    return {
        "title": "dealwire console",
        "version": __version__,
        "summary": "Tables of a table service: their pages, rounds as JSON and CSV, recordings, actions.",
        "description": (
            "Reading is open on a console that listens at a loopback address; at any other address, or through a"
            " proxy, it needs a session. A session is the cookie that POST /sign-in sets for a role's token, or for a"
            " person's name and password. A program sends the bearer token of its entry in the users file instead."
            " Requests with a cookie, other than GET,"
            " need an `Origin` header with the console's own address. Errors are JSON for a client that"
            " accepts application/json, otherwise pages or one line of text."
            " docs/http-api.md has examples."
        ),
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    }


def _security() -> Spec:
    about = "The cookie `dealwire-PORT` (`__Host-dealwire-PORT` over TLS) that POST /sign-in sets."
    program = "The token of a program in the users file: `dw_…`."
    return {
        "session": {"type": "apiKey", "in": "cookie", "name": "dealwire-8420", "description": about},
        "program": {"type": "http", "scheme": "bearer", "description": program},
    }


def _schemas() -> Spec:
    """Answers that have no schema of their own in docs/schema."""
    numbers = {"type": "array", "items": {"type": "integer", "minimum": 0}}
    return {
        "Answer": _object(
            "Result of a request for an action, or an error.",
            good={"type": "boolean", "description": "True if it was done."},
            text={"type": "string", "description": "One sentence for a person."},
        ),
        "Steps": {
            "type": "object",
            "description": "Index of a recording's steps: times in milliseconds from the first, and marks, by step.",
            "properties": {"build": _TEXT},
            "required": ["build"],
            "additionalProperties": numbers,
        },
        "Step": _object(
            "One step of a recording.",
            build={"type": "string", "description": "Version of the page's scripts."},
            what={"type": "string", "description": "What happened, as a sentence."},
            when={"type": "string", "description": "Date and time, for a person."},
            at={"type": "string", "description": "The same in ISO 8601."},
            sections={
                "type": "object",
                "description": "Parts of the table's page, by name, as HTML.",
                "additionalProperties": _TEXT,
            },
        ),
    }


def _log_schemas() -> dict[str, Spec]:
    """Return the schema of the log, and of a witness in it."""
    found = LogView.model_json_schema(mode="serialization")
    parts: dict[str, Spec] = found.pop("$defs")
    found["properties"] = {"schema": {"const": "dealwire.log/1"}, **found["properties"]}
    for schema in (found, *parts.values()):
        schema["required"] = [*schema["properties"]]
    return {"LogView": found, **parts}


def _object(description: str, **properties: Spec) -> Spec:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


# ------------------------------------------------------------------ addresses


def _paths() -> dict[str, Spec]:
    return {**_pages(), **_rounds(), **_recordings(), **_acting(), **_files()}


def _pages() -> dict[str, Spec]:
    tables = _query("tables", "Names of the tables to show, separated by commas; all unless given.")
    title = _query("title", "Heading of the wall.")
    log = {"200": _answer("The log.", {"application/json": _ref("LogView")}), **_errors(404)}
    return {
        "/": _get("Every table at a glance.", "overview", _page()),
        "/wall": _get("The tables of a pit, for a large screen.", "wall", {**_page(), **_errors(404)}, tables, title),
        "/log.json": _get("The journal's log: its newest checkpoint, and who cosigned it.", "log", log),
        "/table/{table}": _get("One table.", "table", {**_page(), **_errors(404)}, _table()),
        "/bench": _get(
            "Faults that can be planned at a simulated table.",
            "bench",
            {**_page(), **_errors(404)},
            _query("table", "The table; the first simulated one unless given."),
        ),
    }


def _rounds() -> dict[str, Spec]:
    """The lists of a table's rounds."""
    search = [_query(name, *FIELDS[name]) for name in FIELDS]
    number = _query("number", "Number of the round.", _whole(0, ROUND_MOST), required=True)
    csv = {"200": _answer("A row per round, newest first, at most 1,000.", {"text/csv; charset=utf-8": _TEXT}, _NAMED)}
    listed = {**_page(), "400": _answer("The list, with what is wrong with the search.", {_HTML: _TEXT})}
    listed |= _errors(404, 500, 503)
    exported = {**csv, **_errors(400, 404, 500, 503)}
    found = {**_redirect("To the round."), **_errors(400, 404)}
    title = "Rounds of a table: the newest, or those of a search."
    return {
        "/table/{table}/rounds": _get(title, "rounds", listed, _table(), *search),
        "/table/{table}/rounds.csv": _get("The same as CSV.", "roundsCsv", exported, _table(), *search),
        "/table/{table}/round": _get("Redirect to a round.", "findRound", found, _table(), number),
        **_round(),
    }


def _round() -> dict[str, Spec]:
    """One round, in three forms."""
    which = "Number of the record, where several rounds have this number."
    parameters = (
        _table(),
        _path("number", "Number of the round.", ROUND_MOST),
        _query("record", which, _whole(1, 2**63 - 1)),
    )
    errors = _errors(400, 404, 500, 503)
    sheet = {"200": _answer("The round.", {"application/json": _ref("RoundSheet")}, _NAMED)}
    pdf = {"200": _answer("The round.", {"application/pdf": {}}, _NAMED), **_errors(501)}
    at = "/table/{table}/round/{number}"
    return {
        at: _get("One round as a dispute sheet.", "round", {**_page(), **errors}, *parameters),
        f"{at}.pdf": _get("The same as PDF.", "roundPdf", {**pdf, **errors}, *parameters),
        f"{at}.json": _get("The same as JSON.", "roundJson", {**sheet, **errors}, *parameters),
    }


def _recordings() -> dict[str, Spec]:
    name = _path("recording", "Name of the recording, as /replay lists it.")
    broken = _errors(404, 422, 503)
    steps = {"200": _answer("The index.", {"application/json": _ref("Steps")})}
    step = {"200": _answer("The step.", {"application/json": _ref("Step")})}
    return {
        "/replay": _get("Recordings that can be replayed.", "recordings", {**_page(), **_errors(503)}),
        "/table/{table}/replay": _get(
            "Recordings of a table's game, and its journal.",
            "tableRecordings",
            {**_page(), **_errors(404, 503)},
            _table(),
        ),
        "/replay/{recording}": _get(
            "One recording, at one of its steps.",
            "replay",
            {**_page(), **broken},
            name,
            _query("step", "Number of the step; the first unless given."),
            _query("at", "Time of the step instead, in milliseconds since 1970."),
        ),
        "/replay/{recording}/steps": _get("Times of all steps.", "steps", {**steps, **broken}, name),
        "/replay/{recording}/step/{number}": _get(
            "One step.", "step", {**step, **broken}, name, _path("number", "Number of the step, from 0.", STEP_MOST)
        ),
    }


_TOKEN_FORM: Final[Spec] = {
    "type": "object",
    "properties": {
        "token": {"type": "string", "description": "The token of a role, on a console with a tokens file."},
        "name": {"type": "string", "description": "The name of a person, on a console with a users file."},
        "password": {"type": "string", "description": "That person's password."},
        "back": {"type": "string", "description": "Where to go then: a path of this console."},
    },
    "anyOf": [{"required": ["token"]}, {"required": ["name", "password"]}],
    "additionalProperties": False,
}
_ACTION_FORM: Final[Spec] = {
    "type": "object",
    "description": "The fields of the action's form; each action has its own.",
    "additionalProperties": _TEXT,
}


def _acting() -> dict[str, Spec]:
    """Return the operations that change something: sessions and actions."""
    foreign = "The request comes from no page of this console."
    sign_in = {
        **_redirect("Signed in; the cookie is the session."),
        "403": _answer(
            f"The token, or the name with its password, is not known. Or: {foreign}", {**_LINE, _HTML: _TEXT}
        ),
        "429": _answer("Too many wrong tokens, or too many passwords wait; try again.", _EITHER),
        **_malformed(),
    }
    sign_out = {**_redirect("The session is over."), "403": _answer(foreign, _LINE)}
    back = _query("back", "Where to go after signing in.")
    form = _operation("The form for a token.", "signInForm", _page(), back)
    post = _operation("Sign in with the token of a role.", "signIn", sign_in)
    return {
        "/sign-in": {"get": form, "post": {**post, "requestBody": _body(_TOKEN_FORM, required=True)}},
        "/sign-out": {"post": _operation("End the session.", "signOut", sign_out)},
        **_passkeys(),
        **_issuer(),
        "/table/{table}/act/{action}": {"post": _act()},
    }


def _passkeys() -> dict[str, Spec]:
    """Return the operations for passkeys, which a browser's script uses."""
    options = {"200": _answer("Options for the browser.", {"application/json": {"type": "object"}})}
    done = {"200": _answer("It was done; `to` is where to go.", {"application/json": {"type": "object"}})}
    enrol = {**_page(), **_errors(404)}
    return {
        "/enrol": _get("The form for a one-time code.", "enrolForm", enrol),
        "/enrol/options": _json_post("Start to add a passkey.", "enrolOptions", options),
        "/enrol/finish": _json_post("Keep a new passkey.", "enrolFinish", done),
        "/sign-in/passkey/options": _json_post("Start to sign in with a passkey.", "passkeyOptions", options),
        "/sign-in/passkey": _json_post("Sign in with a passkey.", "passkeySignIn", done),
        "/table/{table}/prove": _json_post("Start to approve with a passkey.", "approvalOptions", options, _table()),
    }


def _issuer() -> dict[str, Spec]:
    """Return the addresses for signing in at an issuer, which only a person's browser uses."""
    texts = {403: "The answer does not count.", 503: "The issuer cannot be used."}
    refused = {str(status): _answer(text, _EITHER) for status, text in texts.items()}
    back = _query("back", "Where to go after signing in.")
    start = {**_redirect("The issuer's address."), "503": refused["503"]}
    came = _operation("Come back from the issuer with a code.", "issuerAnswer", {**_page(), **refused})
    return {
        "/sign-in/oidc/start": {"get": _operation("Sign in at the issuer.", "issuerStart", start, back)},
        "/sign-in/oidc": {"get": came},
    }


def _json_post(summary: str, name: str, answers: Spec, *parameters: Spec) -> dict[str, Spec]:
    texts = {
        400: "The body is malformed.",
        403: "It does not count, or the request comes from no page of this console.",
        401: "Nobody is signed in.",
        404: "This console keeps no passkeys, or there is no such request.",
        409: "There are too many passkeys already, or none that counts.",
        413: "The body is longer than 16 kB.",
        415: "The body is not JSON.",
        429: "Too many are wrong; try again.",
        503: "The users file cannot be read.",
    }
    refused = {str(status): _answer(text, {**_EITHER, **_LINE}) for status, text in texts.items()}
    body = {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}
    return {"post": {**_operation(summary, name, {**answers, **refused}, *parameters), "requestBody": body}}


def _act() -> Spec:
    done = {"200": _answer("It was done; the text says what the device answered.", _EITHER)}
    refused = {
        str(status): _answer(text, _EITHER if status != 403 else {**_EITHER, **_LINE})
        for status, text in _ACT_ERRORS.items()
    }
    action = _path("action", "Id of the action, as on the table's page.")
    answers = {**done, **refused, **_malformed()}
    found = _operation("Ask for an action, such as to light the red lamp.", "act", answers, _table(), action)
    return {
        **found,
        "requestBody": _body(_ACTION_FORM),
        "security": [{"session": []}, {"program": []}],
        "x-roles": list(ROLES),
    }


_ACT_ERRORS: Final[Mapping[int, str]] = {
    401: "Nobody is signed in.",
    403: "The role may not do this, or the request comes from no page of this console.",
    404: "There is no such action at this table.",
    409: "The table or the device refuses it.",
    503: "Too much is waiting; try again.",
    504: "No answer yet; look at the table before you try again.",
}
"""Answers of an action that was not done."""


def _files() -> dict[str, Spec]:
    name, build = _path("name", "Name of the file."), _query("v", "Build that the page belongs to.")
    document_answer = {"200": _answer("This document.", {"application/json": {"type": "object"}})}
    asset = {
        "200": _answer(
            "The file.",
            {
                "text/css; charset=utf-8": {},
                "text/javascript; charset=utf-8": {},
                "image/svg+xml": {},
            },
        ),
        **_errors(404),
    }
    return {
        "/openapi.json": _get("This document.", "openapi", document_answer),
        "/static/{name}": {"get": _operation("A style sheet, a script, a picture.", "asset", asset, name, build)},
        "/favicon.ico": _get("The icon.", "favicon", {"200": _answer("The icon.", {"image/svg+xml": {}})}),
    }


# ------------------------------------------------------------------ parts of an operation

_NAMED: Final[Spec] = {"content-disposition": {"description": "Name of the file.", "schema": _TEXT}}
_EITHER: Final[Spec] = {"application/json": {"$ref": "#/components/schemas/Answer"}, _HTML: _TEXT}
_LINE: Final[Spec] = {"application/json": {"$ref": "#/components/schemas/Answer"}, _PLAIN: _TEXT}
"""Body of an error that the guard answers, which has no page."""
_WHY: Final[Mapping[int, str]] = {
    400: "The search or a number cannot be understood.",
    404: "There is no such table, round, recording or file.",
    422: "The recording cannot be replayed.",
    500: "The journal cannot be read.",
    501: "The extra sheet is not installed.",
    503: "Too much is waiting; try again.",
}


def _operation(summary: str, name: str, answers: Spec, *parameters: Spec) -> Spec:
    found: Spec = {"summary": summary, "operationId": name, "responses": {**answers, **_always()}}
    return {**found, "parameters": list(parameters)} if parameters else found


def _get(summary: str, name: str, answers: Spec, *parameters: Spec) -> Spec:
    """Describe an address that is read, with a session unless reading is open."""
    closed = {"401": _answer("No session; a browser is sent to /sign-in by 303.", _LINE)}
    return {"get": _operation(summary, name, {**answers, **closed}, *parameters)}


def _always() -> Spec:
    """Answers of the guard in front of every address."""
    return {
        "421": _answer("The host name is not one that this console answers to.", _LINE),
        "431": _answer("The request's headers are too long.", _LINE),
    }


def _page() -> Spec:
    return {"200": _answer("The page.", {_HTML: _TEXT})}


def _errors(*statuses: int) -> Spec:
    return {str(status): _answer(_WHY[status], _EITHER) for status in statuses}


def _malformed() -> Spec:
    bodies = {413: "The form is longer than 8 kB.", 415: "The body is not a form."}
    return {"400": _answer("The form is malformed, or a field is wrong.", _EITHER)} | {
        str(status): _answer(text, _EITHER) for status, text in bodies.items()
    }


def _redirect(description: str) -> Spec:
    headers = {"location": {"description": "Where to go.", "schema": _TEXT}}
    return {"303": {"description": description, "headers": headers}}


def _answer(description: str, content: Spec, headers: Spec | None = None) -> Spec:
    found: Spec = {
        "description": description,
        "content": {kind: {"schema": schema} for kind, schema in content.items()},
    }
    return {**found, "headers": headers} if headers else found


def _body(schema: Spec, *, required: bool = False) -> Spec:
    return {"required": required, "content": {_FORM: {"schema": schema}}}


def _ref(name: str) -> Spec:
    return {"$ref": f"#/components/schemas/{name}"}


def _table() -> Spec:
    return _path("table", "Name of the table.")


def _whole(least: int, most: int) -> Spec:
    return {"type": "integer", "minimum": least, "maximum": most}


def _path(name: str, description: str, most: int | None = None) -> Spec:
    schema = _whole(0, most) if most is not None else {**_TEXT, "minLength": 1}
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema}


def _query(name: str, description: str, example: str | Spec = "", *, required: bool = False) -> Spec:
    schema = example if isinstance(example, dict) else _TEXT
    found: Spec = {"name": name, "in": "query", "description": description, "schema": schema}
    if required:
        found["required"] = True
    return {**found, "example": example} if isinstance(example, str) and example else found
