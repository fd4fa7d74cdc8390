"""What an answer of an audit rests on, in the terms of the book's glossary where it has one."""

from collections.abc import Iterable

from pkdp.noiseless.synergy import geometric_deviation
from pkdp.practice import _answers
from pkdp.practice._bounds import Release
from pkdp.practice._question import Question
from pkdp.practice._sums import Query, Sums


def protected(sums: Sums) -> str:
    """Say whose data the guarantees are about."""
    if sums.panel.waves:
        return "what one person says in all waves together, as long as the others stay as they are"
    if sums.households is None or sums.households.largest_of_all == 1:
        return "what one record says, as long as the others stay as they are"
    return (
        f"what all records of one household say together, at most {sums.households.largest_of_all}"
    )


def how(release: Release) -> str:
    """Say how counts are published."""
    if release.kind is not None:
        return str(release.kind.how)
    if release.rounding is not None:
        how = f"rounded to the nearest {release.rounding.base}"
        if release.rounding.suppressed:
            return f"counts up to {release.rounding.suppressed} as 0, others {how}"
        return how
    if release.threshold is not None:
        return f"counts up to {release.threshold} suppressed"
    if release.noise is not None:
        deviation = geometric_deviation(release.noise.p)
        return (
            f"with geometric noise of ratio {_answers.few_digits(release.noise.p)} "
            f"(standard deviation {deviation:.3g})"
        )
    return "exactly"


def assumptions(question: Question, sums: Sums, release: Release, most: float) -> Iterable[str]:
    """Yield what the answer rests on, a sentence for each assumption."""
    query, homes = question.query, sums.households
    assumed = "You assumed it: --assume independent."
    if homes is None:
        yield (
            f"Independent records: to her no {'person' if query.panel else 'record'} tells "
            f"anything about another one, nor do all others together. {assumed}"
        )
    else:
        largest = f"The largest household has {_answers.records(homes.largest_of_all)}."
        yield (
            "Independent groups: to her no household tells anything about another one, nor do all "
            f"others together. {assumed} {largest}"
        )
    yield from _beliefs(question, release, most)
    if release.kind is not None and not query.panel:
        yield "No two records are of the same person."
    elif homes is None and not query.panel:
        yield (
            "No two records are of the same person; if some are, --household must name a column "
            "that is the same in these, and protects all of them together."
        )
    if release.kind is None and question.lam and len(query.counts) == release.categories:
        yield "No record could have had a value that is not counted." + (
            ""
            if release.exact
            else " The file has none, which may depend on one record: rely on it only if it was "
            "known before."
        )
    covered = release.threshold is None and release.rounding is None
    if not covered and len(query.counts) == 1:
        yield (
            "No count of the other records is published, such as those who said No, from which "
            "more about this one would follow, as the number of records is public."
        )
    if query.by:
        yield from _of_groups(query, covered=covered, noisy=release.noise is not None)
    else:
        yield (
            "Public number of records: how many there are, and who is among them. Only what is "
            "counted is protected."
        )
    if release.noise is not None:
        yield "Independent coins: each count, even 0, gets secret noise of its own, drawn once."
    yield (
        "One release: nothing else that depends on these records is published, before or after"
        + ("." if release.kind is None else ", no count either: two answers do not add up.")
    )


def _of_groups(query: Query, *, covered: bool, noisy: bool) -> Iterable[str]:
    """Say what is public of groups, and which tables are covered."""
    yield (
        "Public number of records: how many a group has, who is among them, and so which "
        f"{', '.join(query.by)} a record has. Only what is counted is protected."
    )
    if len(query.tables) > 1:
        yield (
            f"All tables follow from the exact one by {', '.join(query.by)}: that is the one "
            "whose groups are told here."
        )
    if covered:
        fewer = f", and tables by fewer of {', '.join(query.by)}," if len(query.by) > 1 else ""
        noisily = "are covered if the counts with noise are added up"
        how = noisily if noisy else "follow from these counts, and are covered"
        yield f"Totals over groups{fewer} {how}."
    yield (
        "Groups are of different people. Years or waves of the same people are columns, not groups."
    )
    if not covered:
        yield (
            "No total over groups is published, from which more about a count would follow. To "
            "publish totals as well, audit the exact counts: rounded or suppressed ones follow."
        )


def _beliefs(question: Question, release: Release, most: float) -> Iterable[str]:
    """Say what she knows and believes of the other records."""
    query = question.query
    better = "a better informed attacker learns more"
    if release.kind is not None:
        yield from release.kind.beliefs(question.lam)
    elif query.probabilities:
        yield f"Given probabilities: hers are those of {', '.join(query.probabilities)}; {better}."
    elif query.predictors:
        yield (
            "Given probabilities: she knows of a record what a logistic model makes of "
            f"{', '.join(query.predictors)}, and no more; {better}."
        )
    else:
        kinds = "either value" if release.categories == 2 else "every combination of answers"
        at_least = f"she gives {kinds} a probability of at least {question.lam:g}"
        if query.household is None:
            yield f"λ for each unknown record: of a record she does not know, {at_least}."
        else:
            yield f"λ given all others: even if she knew the others of a household, {at_least}."
    hidden = release.rounding.suppressed if release.rounding else release.threshold
    if hidden:
        yield f"Alike if small: nobody can tell apart counts from 0 to {hidden}, a true 0 included."
    if release.threshold is not None:
        yield f"At most p for each other record: a 1 has a probability of at most p = {most:.4g}."
    if not question.known:
        yield "No known records: she knows none of the other records."
    elif isinstance(question.known, int):
        yield f"Known records: at most {question.known} of the other records of each count."
    else:
        share = f"{question.known:.4g}"
        yield f"Known records: at most {share} of the records of each count, any of them."
