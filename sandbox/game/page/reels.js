/* global document, window, matchMedia */

const SVG = 'http://www.w3.org/2000/svg';
/** A strip is drawn four times, so that a reel can turn further, and a little too far, without a gap. */
const COPIES = 4;
const TURN_MS = 520;
const STOP_MS = 700;
const BETWEEN_MS = 260;
const LEAST_CELLS = 6;

const isCalm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export function icon(symbol) {
  const svg = document.createElementNS(SVG, 'svg');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `#${symbol}`);
  svg.append(use);
  return svg;
}

/** Three reels. Each shows a stop in its middle row. They turn together and stop one after another. */
export function createReels(root, strip, onStop) {
  const size = strip.length;
  const all = size * COPIES + 3;
  const reels = [0, 1, 2].map(() => {
    const band = document.createElement('div');
    band.className = 'strip';
    band.append(...Array.from({ length: all }, (_, at) => icon(strip[at % size])));
    const box = document.createElement('div');
    box.className = 'reel';
    box.append(band);
    return { box, band, cell: 0, turning: undefined };
  });
  root.replaceChildren(...reels.map(({ box }) => box));

  /** The first visible cell when the middle row shows the stop. */
  const cellOf = (stop) => stop - 1 + size;
  const at = (cell) => `translateY(${(-100 * cell) / all}%)`;
  const place = (reel, cell) => {
    reel.cell = cell;
    reel.band.style.transform = at(cell);
  };

  async function stopOne(reel, stop, nth) {
    const target = cellOf(stop);
    const { turning } = reel;
    if (turning === undefined) return place(reel, target);
    await new Promise((done) => window.setTimeout(done, nth * BETWEEN_MS));
    const passed = turning.effect.getComputedTiming().progress ?? 0;
    // The symbols move down, so the cell number decreases.
    let from = size * (3 - passed);
    while (from - size >= target + LEAST_CELLS) from -= size;
    turning.cancel();
    reel.turning = undefined;
    reel.box.classList.remove('turning');
    place(reel, target);
    const frames = [{ transform: at(from) }, { transform: at(target) }];
    await reel.band.animate(frames, { duration: STOP_MS, easing: 'cubic-bezier(0.2, 0.7, 0.3, 1.06)' })
      .finished;
    onStop();
  }

  return {
    show: (stops) => reels.forEach((reel, nth) => place(reel, cellOf(stops[nth]))),
    turn() {
      root.classList.remove('won');
      if (isCalm()) return;
      for (const [nth, reel] of reels.entries()) {
        const frames = [{ transform: at(size * 3) }, { transform: at(size * 2) }];
        reel.turning = reel.band.animate(frames, {
          duration: TURN_MS,
          iterations: Infinity,
          delay: -nth * 130,
        });
        reel.box.classList.add('turning');
      }
    },
    stop: (stops) => Promise.all(reels.map((reel, nth) => stopOne(reel, stops[nth], nth))),
    /** Lights the first cells of the line. */
    light(count) {
      root.classList.toggle('won', count > 0);
      for (const [nth, { band, cell }] of reels.entries())
        [...band.children].forEach((one, number) =>
          one.classList.toggle('lit', nth < count && number === cell + 1),
        );
    },
  };
}
