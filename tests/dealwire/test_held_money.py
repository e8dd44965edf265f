"""Money that is held is trouble until a supervisor says that it was settled by hand; the journal has who said so."""

from __future__ import annotations

import json
from concurrent.futures import Future
from pathlib import Path

import pytest

from dealwire.hub.actions import FieldRefused
from dealwire.hub.hub import Request
from dealwire.hub.view import TableView
from dealwire.service.actions import ActionRefused
from dealwire.service.service import Service
from tests.support.rigs.serving import opened, run_until, simulators_here, write_configuration

NAME = "table-1"


def asked(service: Service, who: str, **fields: object) -> Future[str]:
    """Return the answer to a report that held money was settled."""
    answer = service.hub.ask(Request(NAME, "release-held", fields, who, "127.0.0.1"))
    run_until(service, answer.done)
    return answer


def view(service: Service) -> TableView:
    return service.hub.views()[NAME]


def test_it_stands_there_until_a_supervisor_has_settled_it_also_over_a_restart(tmp_path: Path) -> None:
    with simulators_here(faults=1.0, seed=5) as addresses:
        file = write_configuration(tmp_path, addresses)
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(view(service).held) >= 2)
            first, second = view(service).held[:2]
            trouble = [each for each in view(service).trouble if each.kind == "held"]
            assert [(each.place, each.cents) for each in trouble][:2] == [
                (str(first.round), first.cents),
                (str(second.round), second.cents),
            ]
            settled = {line["round"]: line for line in listener.of("settlement")}
            assert first.cents == sum(seat["held"] for seat in settled[first.round]["seats"])

            which = {"entry": first.entry, "session": first.session, "round": first.round}
            with pytest.raises(ActionRefused, match="a dealer may not do this; allowed: supervisor"):
                asked(service, "dealer", **which, badge=7).result()
            with pytest.raises(ActionRefused, match="no money is held under entry 9999 of this table"):
                asked(service, "supervisor", **{**which, "entry": 9999}, badge=7).result()
            with pytest.raises(FieldRefused, match="badge: must be a whole number from 1"):
                asked(service, "supervisor", **which, badge="x").result()
            assert view(service).held[0] == first

            answer = asked(service, "supervisor", **which, badge=7).result()
            assert answer.startswith("Noted: ")
            assert first not in view(service).held
            said = [line for line in listener.of("status") if line.get("round") == first.round]
            assert [line["kind"] for line in said] == ["action"]
            assert "supervisor, 127.0.0.1, badge 7" in said[0]["text"]
            rounds = len(listener.of("round"))
            run_until(service, lambda: len(listener.of("round")) > rounds + 1)  # a snapshot was made since
            open_ = {each.round for each in view(service).held}
        service, _ = opened(file)
        with service:
            run_until(service, lambda: NAME in service.hub.views())
            found = {each.round for each in view(service).held}
            assert first.round not in found
            assert second.round in found <= open_ | set(range(max(open_), max(open_) + 3))
    assert json.loads(view(service).model_dump_json())["schema_"] == "dealwire.view/2"
