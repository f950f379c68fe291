"""The origin of labels in the words of the vocabulary: what is known of them, and no more."""

from dataclasses import replace

from metrics.core.releases.responsible_ai import rai_properties
from tests.metrics.core.releases.samples.small_release import SMALL

# name: whether it has many values, by the tables of the specification RAI 1.0
PROPERTIES = {
    "dataCollection": False,
    "dataCollectionType": True,
    "dataCollectionMissingData": False,
    "dataCollectionRawData": False,
    "dataCollectionTimeframe": True,
    "dataImputationProtocol": False,
    "dataAnnotationProtocol": False,
    "dataAnnotationPlatform": True,
    "dataAnnotationAnalysis": True,
    "annotationsPerItem": False,
    "annotatorDemographics": True,
    "machineAnnotationTools": True,
    "dataUseCases": True,
    "dataBiases": True,
    "dataLimitations": True,
    "personalSensitiveInformation": True,
    "dataReleaseMaintenancePlan": False,
}


def test_properties_are_those_of_the_specification_with_as_many_values() -> None:
    properties = rai_properties(SMALL)
    assert {
        name.removeprefix("rai:"): isinstance(texts, list) for name, texts in properties.items()
    } == PROPERTIES


def test_agreement_is_told_with_its_interval() -> None:
    assert rai_properties(SMALL)["rai:dataAnnotationAnalysis"] == [
        "Krippendorff's alpha (ordinal) is 0.700 (95 % interval 0.600 to 0.800), from 22 labels of "
        "10 pairs with two or more.",
        "90.0% of pairs of labels have the same grade.",
        "90.0% of 20 answers to pairs of known grade were right.",
        "37 pairs got a grade from people's labels, 1 pair none. All single judgments are "
        "released.",
    ]


def test_undefined_agreement_is_told_with_its_reason() -> None:
    agreement = replace(SMALL.agreement, alpha=None, undefined="All labels are the same.")
    agreement = replace(agreement, same_grade=None)
    golds = replace(SMALL.golds, n_answers=0, share=None)
    texts = rai_properties(replace(SMALL, agreement=agreement, golds=golds))
    analysis = texts["rai:dataAnnotationAnalysis"]
    assert analysis[0] == "Krippendorff's alpha is undefined: All labels are the same."
    assert len(analysis) == 2


def test_annotators_are_told_by_origin() -> None:
    properties = rai_properties(SMALL)
    simulated = "1 simulated annotator gave 2 labels: at least 2, at most 2, in the middle 2."
    assert properties["rai:annotatorDemographics"] == [
        "3 people gave 48 labels: at least 2, at most 30, in the middle 16.5. No demographics were "
        "asked for.",
        simulated,
    ]
    assert properties["rai:machineAnnotationTools"] == [simulated]
    assert properties["rai:dataCollectionType"] == ["Manual Human Curator", "Software Collection"]


def test_what_is_unknown_is_left_out() -> None:
    counts = replace(SMALL.counts, n_pairs=0, n_propagated=0, n_conflicts=0)
    bare = replace(SMALL, counts=counts, people=(), pools=(), pool_bias=(), limits=(), sides=())
    bare = replace(bare, work=replace(SMALL.work, first_on=None, last_on=None))
    assert PROPERTIES.keys() - {name.removeprefix("rai:") for name in rai_properties(bare)} == {
        "dataCollectionType",
        "dataCollectionRawData",
        "dataCollectionTimeframe",
        "dataImputationProtocol",
        "annotationsPerItem",
        "annotatorDemographics",
        "machineAnnotationTools",
        "dataBiases",
        "dataLimitations",
    }


def test_texts_and_media_are_told_to_be_in_it_or_not() -> None:
    inside = rai_properties(replace(SMALL, texts_leave=False, media_leave=False))
    outside = rai_properties(replace(SMALL, texts_leave=True, media_leave=True))
    assert inside["rai:personalSensitiveInformation"][2:] == [
        "No texts of the items are in it, only their ids.",
        "No names or addresses of media are in it.",
    ]
    assert outside["rai:personalSensitiveInformation"][2:] == [
        "Texts of the items are in it as they are, with what they say of people.",
        "Names and addresses of media are in it, not the media.",
    ]


def test_pools_and_what_they_favour_are_told() -> None:
    properties = rai_properties(SMALL)
    assert properties["rai:dataCollection"] == (
        "Pairs of a query and a document were judged one by one on a scale of grades. 38 pairs of "
        "the release have 50 labels. The pool Top 10 (forward, depth) took 40 pairs of 3 runs, "
        "down to rank 10."
    )
    assert properties["rai:dataBiases"][1:] == [
        "run-01 (forward, all): C@10 is 0.9100, and 0.8812 without the 1 positive that it alone "
        "brought.",
        "People and reference sets differ on 1 pair; people refused 1 positive of the reference "
        "sets.",
    ]
    assert properties["rai:dataCollectionRawData"] == (
        "10 queries (text) and 20 documents (video and audio)."
    )


def test_a_rehearsal_is_no_evaluation() -> None:
    rehearsal = replace(SMALL, collection=replace(SMALL.collection, is_rehearsal=True))
    (use,) = rai_properties(rehearsal)["rai:dataUseCases"]
    assert "not for the evaluation" in use
