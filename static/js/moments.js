// Times of a page, which the server tells in UTC, in the reader's own time; UTC stays in the title.
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (number) => String(number).padStart(2, "0");
const day = (at) => `${at.getDate()} ${MONTHS[at.getMonth()]}`;
const clock = (at) => `${two(at.getHours())}:${two(at.getMinutes())}`;
const WORDS = {
  // as PRECISIONS of annotate/templatetags/moments.py
  day: (at) => `${day(at)} ${at.getFullYear()}`,
  minute: (at) => `${day(at)} ${at.getFullYear()} ${clock(at)}`,
  second: (at) => `${day(at)} ${at.getFullYear()} ${clock(at)}:${two(at.getSeconds())}`,
  short: (at) => `${day(at)} ${clock(at)}`,
  clock,
};

/** Where the reader's time is UTC, the server's words stand. */
export function showLocalTimes(root) {
  for (const element of root.querySelectorAll("time[data-precision]")) {
    const at = new Date(element.dateTime);
    if (at.getTimezoneOffset() !== 0) element.textContent = WORDS[element.dataset.precision](at);
    element.removeAttribute("data-precision");
  }
}

/** Beneath a field that takes a time in UTC, <input type="datetime-local" data-utc>: that time where the reader is. */
export function tellFieldTimes(root) {
  for (const field of root.querySelectorAll("input[data-utc]")) {
    const words = Object.assign(document.createElement("output"), { className: "help" });
    words.htmlFor = field.id;
    const tell = () => {
      const at = new Date(`${field.value}Z`);
      words.textContent = at.getTimezoneOffset() ? `In your time: ${WORDS.minute(at)}` : "";
    };
    field.removeAttribute("data-utc");
    field.after(words);
    field.addEventListener("input", tell);
    tell();
  }
}
