// What public pages need: no forms that change anything, nobody signed in.
import { initTheme } from "./appearance.js";
import { showLocalTimes } from "./moments.js";
import { initSortableTables } from "./sort-table.js";
import { showCurrentTabs } from "./tabs.js";
import { initTerms } from "./terms.js";

initTheme();
showCurrentTabs();
initSortableTables(document);
showLocalTimes(document);
initTerms();
