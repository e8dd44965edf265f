"""Exact odds: what every bet returns, by exhaustive or combinatorial counting, never by sampling."""

from rules.odds.audit import Finding, audit
from rules.odds.compute import odds
from rules.odds.question import Question
from rules.odds.returns import Odds, Outcome

__all__ = ["Finding", "Odds", "Outcome", "Question", "audit", "odds"]
