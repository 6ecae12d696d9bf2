// What a list's page does beyond links and forms: what is selected, its keys, the tools of a row, and the peek beside it.
import "./list/selection.js";
import "./list/keys.js";
import "./list/tools.js";
