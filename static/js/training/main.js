// The training screen, put together from the parts of the judge screen.
import { initClosing, makeRoom } from "../judge/dialogs/dialogs.js";
import { keepKeyboard } from "../judge/html.js";
import { Keys } from "../judge/keys.js";
import { Panel } from "../judge/panel.js";
import { unplayed } from "../judge/media/faults.js";
import { Stage } from "../judge/deck/stage.js";
import { Feedback } from "./feedback.js";
import { Lesson } from "./lesson.js";

const root = document.getElementById("judge");
const urls = root.dataset;

const levels = [...root.querySelectorAll(".level")].map((button) => ({
  grade: Number(button.dataset.grade),
  key: button.querySelector("kbd").textContent,
  name: button.querySelector(".level-name").textContent,
  colour: button.dataset.colour,
  reasons: JSON.parse(button.querySelector("script").textContent),
}));

/** No answer is chosen while one is on its way, or its feedback is on screen. */
class TrainingPanel extends Panel {
  choose(grade) {
    if (!this.root.matches(".is-told, .is-sent")) super.choose(grade);
  }
}

const stage = new Stage(root);
const panel = new TrainingPanel(root, levels, (answer) => lesson.answer(answer));
const feedback = new Feedback(root, levels);
const lesson = new Lesson({ urls, stage, panel, feedback });

const drawer = document.getElementById("guidelines");
const dialog = document.getElementById("dialog-cannot");
const form = dialog.querySelector("form");
form.addEventListener("submit", () => {
  const fields = new FormData(form);
  lesson.leaveOut({ reason: fields.get("reason"), note: fields.get("note").trim() });
  form.reset();
});

const withPlayer = (act) => () => (stage.player ? act(stage.player) : false);
const withImage = (act) => () => (stage.zoom ? act(stage.zoom) : false);
const sideways = (step) => () => (stage.player ? stage.player.seek(step) : (stage.zoom?.pan(step, 0) ?? false));
const actions = {
  next: () => lesson.next(),
  place: () => feedback.openPassage(),
  guidelines: () => (drawer.open ? drawer.close() : drawer.show()),
  cannot: () => {
    if (feedback.isShown) return;
    const format = unplayed(root);
    if (format) form.elements.note.value ||= `This browser cannot play it (${format}).`;
    dialog.showModal();
  },
};

new Keys({
  levels,
  panel,
  owner: `${urls.collection}.${urls.owner}`,
  actions: {
    Enter: actions.next,
    x: actions.cannot,
    g: actions.guidelines,
    Escape: () => drawer.close(),
    v: () => stage.reveal(),
    w: () => stage.toggleMarks(),
    " ": withPlayer((player) => player.play()),
    ArrowLeft: sideways(-1),
    ArrowRight: sideways(1),
    ArrowUp: withImage((zoom) => zoom.pan(0, -1)),
    ArrowDown: withImage((zoom) => zoom.pan(0, 1)),
    ",": withPlayer((player) => player.step(-1)),
    ".": withPlayer((player) => player.step(1)),
    s: withPlayer((player) => player.speed()),
    o: withPlayer((player) => player.loopToggle()),
    m: withPlayer((player) => player.mute()),
    "+": withImage((zoom) => zoom.by(1)),
    "-": withImage((zoom) => zoom.by(-1)),
  },
});

document.addEventListener("click", (event) => {
  const name = event.target.closest("[data-action]")?.dataset.action;
  if (name) actions[name]();
  else if (event.target.closest("[data-report]")) actions.cannot();
});
initClosing();
makeRoom();
// back to where Enter goes on
drawer.addEventListener("close", () => (feedback.isShown ? feedback.next.focus() : stage.region.focus({ preventScroll: true })));
keepKeyboard(() => stage.region.focus({ preventScroll: true }));
lesson.begin();
