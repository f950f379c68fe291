"""Trainings: pairs with grades of the scheme, and tries and attempts of people of the same collection."""

from annotate.checks.check import Check, query

CHECKS = [
    Check("annotate.training-grade", "A training pair's grade is in the scheme.", query("""
        SELECT format('training pair %s: grade %s', known.id, known.grade) FROM annotate_trainingpair known
        JOIN annotate_pair pair ON pair.id = known.pair_id
        WHERE known.retired_at IS NULL
          AND NOT EXISTS (SELECT FROM annotate_level level
                          WHERE level.collection_id = pair.collection_id AND level.grade = known.grade)""")),
    Check("annotate.training-try", "A try is a batch of its own person, and hands out training alone.", query("""
        SELECT format('try %s', try.id) FROM annotate_trainingtry try
        JOIN annotate_batch batch ON batch.id = try.batch_id WHERE batch.annotator_id <> try.annotator_id
        UNION ALL
        SELECT format('seat %s (%s) in batch %s', seat.id, seat.purpose, given.batch_id) FROM annotate_handout given
        JOIN annotate_seat seat ON seat.id = given.seat_id
        LEFT JOIN annotate_trainingtry try ON try.batch_id = given.batch_id
        WHERE (seat.purpose = 'training') <> (try.id IS NOT NULL)""")),
    Check("annotate.training-quiz", "A quiz is answered by people of its collection, question by question.", query("""
        SELECT format('attempt %s', attempt.id) FROM annotate_quizattempt attempt
        JOIN annotate_quiz quiz ON quiz.id = attempt.quiz_id
        JOIN annotate_annotator ann ON ann.id = attempt.annotator_id
        WHERE ann.collection_id <> quiz.collection_id OR attempt.n_right > jsonb_array_length(quiz.questions)
           OR jsonb_array_length(attempt.choices) <> jsonb_array_length(quiz.questions)""")),
]
