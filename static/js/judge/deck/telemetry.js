// How an answer came about. The server reads these fields by annotate/core/labels/answers.py.

/** Time and changes of mind; of a clip how much was played, and how often anew. */
export function telemetry({ clock, stage, changes }) {
  const { playback } = stage;
  const clip = playback && { played_ms: playback.played, n_replays: playback.replays };
  return { active_ms: clock.read(), n_changes: changes, ...clip };
}
