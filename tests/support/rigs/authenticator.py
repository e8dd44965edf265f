"""A browser's page with an authenticator of its own, which Chromium plays."""

from __future__ import annotations

import json
from typing import Any


class Window:
    """A page of Chromium with an authenticator that confirms by itself."""

    def __init__(self, context: Any) -> None:
        self.complaints: list[str] = []
        self.sent: dict[str, Any] = {}
        self.page = context.new_page()
        self.page.on("console", self._said)
        self.page.on("request", self._note)
        self.line = context.new_cdp_session(self.page)
        self.line.send("WebAuthn.enable")
        options = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        self.id = self.line.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _note(self, request: Any) -> None:
        if request.method == "POST" and request.headers.get("content-type") == "application/json":
            self.sent[request.url.partition("://")[2].partition("/")[2]] = json.loads(request.post_data)

    def verifies(self, user: bool) -> None:
        self.line.send("WebAuthn.setUserVerified", {"authenticatorId": self.id, "isUserVerified": user})

    def press(self, answer: str, **fields: str) -> None:
        for name, value in fields.items():
            self.page.fill(f"#{name}", value)
        self.page.locator("[data-passkey-button]").click()
        if answer:
            self.page.get_by_text(answer).wait_for()
