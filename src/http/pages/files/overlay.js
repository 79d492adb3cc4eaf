/** Keeps the score up to date. When it is cut off, the last one stays, and a dot says so; it connects again by itself. */
const lost = document.querySelector("i");
let pause = 1000;

function connect() {
  const source = new EventSource(`${location.pathname}/stream`);
  source.addEventListener("score", ({ data }) => {
    pause = 1000;
    lost.hidden = true;
    for (const [side, value] of Object.entries(JSON.parse(data))) show(side, String(value));
  });
  source.addEventListener("error", () => {
    lost.hidden = false;
    // A browser gives up where the answer is a failure, such as 503.
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(connect, pause * (1 + Math.random()));
    pause = Math.min(pause * 2, 30_000);
  });
}

function show(side, value) {
  const shown = document.querySelector(`[data-side="${CSS.escape(side)}"]`);
  if (shown === null || shown.textContent === value) return;
  shown.textContent = value;
  shown.classList.remove("changed");
  // Reading the width makes the animation begin again.
  void shown.offsetWidth;
  shown.classList.add("changed");
}

connect();
