// Comfort at the bench: the field keeps the focus, a sound tells good from doubtful, a letter is enough
// for a condition, Escape goes back. Everything works without it.

"use strict";

const field = document.getElementById("scan");

// Whatever is typed or scanned lands in the field, wherever somebody clicked before.
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const back = document.querySelector("[data-escape]");
    if (back) {
      back.click();
    }
    return;
  }
  const free = document.activeElement === document.body || document.activeElement?.id === "content";
  if (free && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
    field?.focus();
  }
});

// A letter that stands alone for a moment is a condition; a scanner types faster than that.
const CONDITIONS = ["N", "R", "A", "B", "C", "X", "TT"];
const MOMENT_MS = 250;
if (field && "atOnce" in field.dataset) {
  let waiting = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    const typed = field.value;
    if (CONDITIONS.includes(typed.toUpperCase())) {
      waiting = setTimeout(() => {
        if (field.value === typed) {
          field.form.requestSubmit();
        }
      }, MOMENT_MS);
    }
  });
}

// One high tone for good, two low ones for a question. A browser that is not allowed to play stays silent.
function tone(audio, frequency, at) {
  const [source, volume] = [audio.createOscillator(), audio.createGain()];
  source.frequency.value = frequency;
  volume.gain.setValueAtTime(0.2, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + 0.15);
  source.connect(volume).connect(audio.destination);
  source.start(at);
  source.stop(at + 0.15);
}

const sound = document.querySelector("[data-sound]")?.dataset.sound;
if (sound && window.AudioContext) {
  const audio = new AudioContext();
  const asked = Date.now();
  audio.resume().then(() => {
    // A sound that comes late tells of something else.
    if (Date.now() - asked > 1000) {
      return;
    }
    if (sound === "good") {
      tone(audio, 1320, audio.currentTime);
    } else {
      tone(audio, 330, audio.currentTime);
      tone(audio, 260, audio.currentTime + 0.2);
    }
  });
}
