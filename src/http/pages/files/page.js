/** What pages can do with a script: search while their reader types, and sort a list. */
const form = document.querySelector(".search");
const { compare } = new Intl.Collator(document.documentElement.dataset.language, { numeric: true });
let timer;

form?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(search, 200);
});
makeSortable();

/** Shows what the service finds for the present text. */
async function search() {
  const query = `?${new URLSearchParams(new FormData(form))}`;
  const response = await fetch(query).catch(() => undefined);
  const text = response?.ok === true ? await response.text().catch(() => undefined) : undefined;
  const isLatest = query === `?${new URLSearchParams(new FormData(form))}`;
  if (!isLatest) return;
  if (text === undefined) {
    // What was found for another text must not be taken for an answer.
    document.querySelector("#results").replaceChildren();
    document.querySelector(".search output").textContent = "The search failed. Try again in a moment.";
    return;
  }
  const found = new DOMParser().parseFromString(text, "text/html");
  for (const part of ["#results", ".search output"])
    document.querySelector(part).replaceChildren(...found.querySelector(part).childNodes);
  history.replaceState(null, "", query);
  makeSortable();
}

function makeSortable() {
  for (const [index, head] of [...document.querySelectorAll(".sortable th")].entries()) {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(head, index));
  }
}

/** Sorts a table by a column, and by the same the other way round the second time. */
function sort(head, index) {
  const isAscending = head.ariaSort !== "ascending";
  for (const other of head.parentElement.cells) other.ariaSort = null;
  head.ariaSort = isAscending ? "ascending" : "descending";
  const [body] = head.closest("table").tBodies;
  const numberOf = ({ cells }) => Number(cells[index].dataset.value ?? NaN);
  const textOf = ({ cells }) => cells[index].textContent;
  const rows = [...body.rows].sort((a, b) => numberOf(a) - numberOf(b) || compare(textOf(a), textOf(b)));
  body.append(...(isAscending ? rows : rows.reverse()));
}
