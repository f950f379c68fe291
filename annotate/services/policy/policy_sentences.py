"""A policy in sentences, for its leads."""

from annotate.core.labels.resolving import RULES
from annotate.models import Policy

TIES = {
    Policy.Tie.DISPUTE: "it is disputed and goes to the lead",
    Policy.Tie.UP: "the larger one is taken",
    Policy.Tie.DOWN: "the smaller one is taken",
}
GOLD_ACTIONS = {
    Policy.GoldAction.WARN: "its annotator reads a warning that names no pair",
    Policy.GoldAction.HOLD: "the batch waits for a lead",
    Policy.GoldAction.REJECT: "its labels are withdrawn and asked for again",
    Policy.GoldAction.PAUSE: "the batch waits for a lead and its annotator is paused",
}


def policy_sentences(policy: Policy) -> list[str]:
    """Return the policy as sentences; they hold no text by people, so they are safe as HTML."""
    grade, tie = RULES[policy.rule].definition, TIES[Policy.Tie(policy.tie)]
    sentences = [
        _labels(policy),
        _further_labels(policy),
        f"A pair's grade is {grade}; without one {tie}.",
        _batches(policy),
        _golds(policy),
    ]
    if policy.repeat_share:
        n_days = policy.repeat_after_days
        wait = f" after {_counted(n_days, 'day')}" if n_days else ", perhaps on the same day"
        sentences.append(
            f"{policy.repeat_percent} % of a person's pairs come back to them{wait}, to see how "
            "steady they are."
        )
    if policy.max_share < 1:
        sentences.append(f"One person judges at most {policy.max_percent} % of a pool.")
    minutes = _counted(policy.lease_minutes, "minute")
    sentences.append(f"A pair handed out is held for {minutes}, then it passes to somebody else.")
    return [sentence for sentence in sentences if sentence]


def _labels(policy: Policy) -> str:
    sentence = f"Every pair gets {_counted(policy.labels_per_pair, 'label')}"
    if policy.double_share:
        share = f"exactly {policy.double_percent} % of a pool's new pairs"
        sentence += f", and {share} get one more"
    return f"{sentence}."


def _further_labels(policy: Policy) -> str:
    tolerance = policy.tolerance
    sentence = "No further label is asked for where people disagree."
    if policy.ceiling > policy.labels_per_pair:
        distance = f" by more than {tolerance}" if tolerance else ""
        sentence = (
            f"Where people disagree{distance}, further labels are asked for until there are "
            f"{policy.ceiling}."
        )
    if policy.stop_early and policy.labels_per_pair > 2:
        sentence += " Two are asked for first, and no more once two agree and the rule decides."
    if tolerance:
        side = "larger" if policy.tie == Policy.Tie.UP else "smaller"
        sentence += (
            f" Labels at most {tolerance} apart agree: where the rule finds no single grade among "
            f"them, the {side} one is taken."
        )
    return sentence


def _batches(policy: Policy) -> str:
    sentence = f"A batch holds {_counted(policy.batch_candidates, 'pair')} to judge"
    if policy.gold_positives or policy.gold_negatives:
        sentence += (
            f" and, unseen among them, up to {policy.gold_positives} known relevant and up to "
            f"{policy.gold_negatives} known irrelevant"
        )
    order = "one query's pairs come together" if policy.grouped else "queries come mixed"
    return f"{sentence}; {order}."


def _golds(policy: Policy) -> str:
    has_golds = policy.gold_positives or policy.gold_negatives
    if not has_golds or policy.gold_action == Policy.GoldAction.NONE:
        return ""
    return (
        f"When fewer than {policy.gold_percent} % of a batch's known pairs are right (where it has "
        "fewer than four, together with those of the batches before it: nobody fails on fewer), "
        f"{GOLD_ACTIONS[Policy.GoldAction(policy.gold_action)]}."
    )


def _counted(n: int, noun: str) -> str:
    """A number of the policy with its noun, without commas, as its field shows it."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
