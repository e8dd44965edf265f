"""Exact odds: the return of every bet, by exhaustive or combinatorial counting, never by sampling."""

from rules.odds.audit.findings import PaytableFinding
from rules.odds.audit.report import audit
from rules.odds.compute import odds
from rules.odds.question import Question
from rules.odds.returns import BetOutcome, NotComputed, Odds

__all__ = ["BetOutcome", "NotComputed", "Odds", "PaytableFinding", "Question", "audit", "odds"]
