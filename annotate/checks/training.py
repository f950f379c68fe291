"""Checks of trainings: grades of the scheme, tries and attempts within one collection."""

from annotate.checks.check import Check, query

CHECKS = [
    Check(
        "annotate.training-grade",
        "A training pair's grade is in the scheme.",
        query("""
        SELECT format('training pair %s: grade %s', training_pair.id, training_pair.grade)
          FROM annotate_trainingpair training_pair
        JOIN annotate_pair pair ON pair.id = training_pair.pair_id
        WHERE training_pair.retired_at IS NULL
          AND NOT EXISTS (SELECT FROM annotate_level level
                          WHERE level.collection_id = pair.collection_id
                            AND level.grade = training_pair.grade)"""),
    ),
    Check(
        "annotate.training-try",
        "A try is a batch of its own person, and hands out training alone.",
        query("""
        SELECT format('try %s', try.id) FROM annotate_trainingtry try
        JOIN annotate_batch batch ON batch.id = try.batch_id
        WHERE batch.annotator_id <> try.annotator_id
        UNION ALL
        SELECT format('seat %s (%s) in batch %s', seat.id, seat.purpose, hand_out.batch_id)
          FROM annotate_handout hand_out
        JOIN annotate_seat seat ON seat.id = hand_out.seat_id
        LEFT JOIN annotate_trainingtry try ON try.batch_id = hand_out.batch_id
        WHERE (seat.purpose = 'training') <> (try.id IS NOT NULL)"""),
    ),
    Check(
        "annotate.training-quiz",
        "A quiz is answered by people of its collection, question by question.",
        query("""
        SELECT format('attempt %s', attempt.id) FROM annotate_quizattempt attempt
        JOIN annotate_quiz quiz ON quiz.id = attempt.quiz_id
        JOIN annotate_annotator ann ON ann.id = attempt.annotator_id
        WHERE ann.collection_id <> quiz.collection_id
           OR attempt.n_right > jsonb_array_length(quiz.questions)
           OR jsonb_array_length(attempt.choices) <> jsonb_array_length(quiz.questions)"""),
    ),
]
