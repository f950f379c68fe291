// The end of a sign-in in a new tab: the judge screens of this browser hear of it (static/js/judge/dialogs/dialogs.js).
new BroadcastChannel("assayer.signed-in").postMessage(null);
