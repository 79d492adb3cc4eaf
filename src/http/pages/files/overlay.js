/** Keeps the score up to date. When it is cut off, the last one stays, and a dot says so; it connects again by itself. */
const lost = document.querySelector("i");
const stream = `${location.pathname.replace(/\/$/, "")}/stream`;
let pause = 1000;
let silence;

function connect() {
  const source = new EventSource(stream);
  // A connection can be lost without an error. The service says every 15 s that it is there.
  const hear = () => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      lost.hidden = false;
      source.close();
      connect();
    }, 45_000);
  };
  hear();
  source.addEventListener("alive", hear);
  source.addEventListener("score", ({ data }) => {
    hear();
    pause = 1000;
    lost.hidden = true;
    for (const [side, value] of Object.entries(JSON.parse(data))) show(side, String(value));
  });
  source.addEventListener("error", () => {
    lost.hidden = false;
    // A browser gives up where the answer is a failure, such as 503.
    if (source.readyState !== EventSource.CLOSED) return;
    clearTimeout(silence);
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
