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
