"""Template filters for notices of pages of scores, which take a word of the page itself."""

from django import template

from metrics.services.leaderboard.tables import LeaderboardTable
from metrics.services.samples.notices import sample_sentence

register = template.Library()
register.filter("sample_sentence", sample_sentence)
register.filter("bounds_note", LeaderboardTable.bounds_note)
