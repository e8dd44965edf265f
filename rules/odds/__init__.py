"""Exact odds: what every bet returns, by exhaustive or combinatorial counting, never by sampling."""

from rules.odds.audit import PaytableFinding, audit
from rules.odds.compute import odds
from rules.odds.question import Question
from rules.odds.returns import BetOutcome, Odds

__all__ = ["BetOutcome", "Odds", "PaytableFinding", "Question", "audit", "odds"]
