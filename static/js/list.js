// What a list's page does beyond links and forms: what is selected, its keys, the tools of a row, the peek beside it,
// and the widths of its columns.
import "./list/selection.js";
import "./list/keys.js";
import "./list/tools.js";
import "./list/widths.js";
