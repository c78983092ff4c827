/* global window */

/** Creates short tones without sound files. There is no sound until it is switched on. */
let audio;

export function switchSound(on) {
  if (on) audio = new window.AudioContext();
  else void audio?.close();
  if (!on) audio = undefined;
}

function tone(hertz, after, seconds) {
  if (audio === undefined) return;
  const begin = audio.currentTime + after;
  const [wave, gain] = [audio.createOscillator(), audio.createGain()];
  wave.type = 'triangle';
  wave.frequency.value = hertz;
  gain.gain.setValueAtTime(0.15, begin);
  gain.gain.exponentialRampToValueAtTime(0.001, begin + seconds);
  wave.connect(gain).connect(audio.destination);
  wave.start(begin);
  wave.stop(begin + seconds);
}

export const click = () => tone(180, 0, 0.08);
export const fanfare = () => [523, 659, 784, 1047].forEach((hertz, nth) => tone(hertz, nth * 0.12, 0.3));
export const thud = () => tone(90, 0, 0.3);
