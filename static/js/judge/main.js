// The judge screen, put together.
import { keepInSight } from "./comment.js";
import { BatchEnd } from "./deck/batch-end.js";
import { CardActions } from "./deck/card-actions.js";
import { Echo } from "./deck/echo.js";
import { initClosing, makeRoom, reportDialogs, SignInDialog } from "./dialogs/dialogs.js";
import { Guidelines } from "./dialogs/guidelines.js";
import { initHelp } from "./dialogs/help.js";
import { RefusedAnswers } from "./dialogs/refused-answers.js";
import { keepKeyboard } from "./html.js";
import { Keys } from "./keys.js";
import { OtherTabs } from "./sending/other-tabs.js";
import { watchPageEvents } from "./sending/page-events.js";
import { Panel } from "./panel.js";
import { Outbox } from "./sending/outbox.js";
import { Screen } from "./deck/screen.js";
import { Stage } from "./deck/stage.js";
import { Status } from "./status.js";
import { Store, requestPersistence } from "./sending/store.js";

const root = document.getElementById("judge");
const urls = root.dataset;
const owner = `${urls.collection}.${urls.owner}`;

const NO_ROOM = "This browser has no room left to keep answers: the last one is lost if you close this tab before it is saved.";
const NOTHING_KEPT =
  "This browser keeps nothing for this site, as where storage is switched off: each answer is sent before you can give the next, and one that is not sent yet is lost when you close the tab.";

/** The scheme as the server printed it on the buttons. */
const levels = [...root.querySelectorAll(".level")].map((button) => ({
  grade: Number(button.dataset.grade),
  key: button.querySelector("kbd").textContent,
  name: button.querySelector(".level-name").textContent,
  colour: button.dataset.colour,
  reasons: JSON.parse(button.querySelector("script").textContent),
}));

const stage = new Stage(root);
const comment = document.getElementById("comment");
const status = new Status(root, () => screen.next());
const panel = new Panel(root, levels, (answer) => cardActions.answer(answer));
const guidelines = new Guidelines({ owner, version: Number(urls.guidelines), focusBack: () => stage.region.focus() });
const echo = new Echo(root, levels, (text) => status.announce(text));
const batchEnd = new BatchEnd(root, () => stage.region.focus());
const screen = new Screen({ root, urls, levels, stage, panel, status, echo, batchEnd, comment, guidelines });
const store = new Store(owner);
const signIn = new SignInDialog({ resume: () => screen.resume(), isNeeded: () => outbox.paused });
const outbox = new Outbox({
  store,
  urls,
  cardsWanted: () => ({ at_hand: screen.atHand }),
  onState: (state, nWaiting) => echo.follow(status.saved(state, nWaiting, store.aside().length)),
  onResult: (entry, data) => {
    screen.onResult(entry, data);
    otherTabs.tell(entry, data);
  },
  onRefused: (entry, message) => screen.onRefused(entry, message),
  onSignedOut: (address, nWaiting) => signIn.open(address, nWaiting),
  onStopped: () => {
    if (outbox.size) requestPersistence();
    // where nothing is kept at all that was said at the start
    if (outbox.isFull && store.isAllowed) status.notice(NO_ROOM, { untilSaved: true });
    screen.show();
  },
  onCleared: () => screen.show(),
});
screen.outbox = outbox;
const otherTabs = new OtherTabs(screen, owner);
const cardActions = new CardActions({ screen, panel, stage, comment, guidelines, clock: screen.clock, status, echo, outbox });
screen.refusedAnswers = new RefusedAnswers({ store, outbox, levels, root, announce: (text) => status.announce(text), onSentAgain: (entry) => screen.undo.heed(entry) });

const reports = reportDialogs((kind, fields) => cardActions.report(kind, fields));
const whileJudging = (act) => () => cardActions.card && act();
const withPlayer = (act) => () => (stage.player ? act(stage.player) : false);
const withImage = (act) => () => (stage.zoom ? act(stage.zoom) : false);
const sideways = (step) => () => (stage.player ? stage.player.seek(step) : (stage.zoom?.pan(step, 0) ?? false));
const actions = {
  undo: () => screen.undo.last(),
  later: whileJudging(() => cardActions.report("later")),
  cannot: whileJudging(reports.cannot),
  escalate: whileJudging(reports.escalate),
  guidelines: () => guidelines.toggle(),
  recent: () => screen.change.list(),
  help: () => document.getElementById("dialog-help").showModal(),
  signin: () => outbox.offer(),
  onward: () => batchEnd.close(),
};

const keys = new Keys({
  levels,
  panel,
  owner,
  actions: {
    z: actions.undo,
    l: actions.later,
    x: actions.cannot,
    b: () => cardActions.reportBroken(),
    e: actions.escalate,
    g: actions.guidelines,
    r: actions.recent,
    "?": actions.help,
    Escape: () => guidelines.close() || screen.change.leave(),
    c: () => comment.focus(),
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
    Enter: () => batchEnd.close() || status.empty.box.hidden || screen.next(),
  },
});

document.addEventListener("click", (event) => {
  const name = event.target.closest("[data-action]")?.dataset.action;
  if (name) actions[name]();
  else if (event.target.closest("[data-report]")) cardActions.reportBroken();
});
initClosing();
makeRoom();
initHelp(levels, keys);
keepKeyboard(() => stage.region.focus({ preventScroll: true }));
store.onForeign(otherTabs);
// what an earlier visit left goes first, and is not shown again meanwhile
for (const [, entry] of store.all()) {
  if (entry.kind !== "undo") screen.deck.markDone(entry.body.hand_out);
  screen.undo.heed(entry);
}
screen.refusedAnswers.show();
keepInSight(comment, root.querySelector(".panel"));
watchPageEvents(outbox);
if (!store.isLasting) status.notice(NOTHING_KEPT);
// eslint-disable-next-line assayer/floor -- Safari trips over it where two import the module; nobody imports this one
await outbox.flush();
if (!outbox.paused && !screen.deck.current) screen.next();
