// Conveniences at the bench: the scan field keeps the focus, sounds confirm or warn, a condition
// and a proposal need no Enter, and Escape goes back. Every page works without this script.

"use strict";

const field = document.getElementById("scan");
const PAUSE_MS = 250;
let pendingChoice = 0;

// A scanner types faster than a person, so a key that stays alone for a moment is a choice.
function choose(button, key) {
  if (!field || field.value === "" || field.value === key) {
    button.click();
  }
}

// Input goes to the scan field, even after a click elsewhere.
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const back = document.querySelector("[data-escape]");
    if (back) {
      back.click();
    }
    return;
  }
  // One key chooses a proposal, as long as nothing else is typed.
  const choice = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (choice && plain && (document.activeElement === field || document.activeElement === document.body)) {
    if (field && field.value === "") {
      pendingChoice = setTimeout(() => choose(choice, event.key), PAUSE_MS);
    }
  } else {
    clearTimeout(pendingChoice);
  }
  const free = document.activeElement === document.body || document.activeElement?.id === "content";
  if (free && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
    field?.focus();
  }
});

// A condition that stays alone for a moment is submitted. A scanner types faster than that.
const CONDITIONS = ["N", "R", "A", "B", "C", "X", "TT"];
if (field && "atOnce" in field.dataset) {
  let timer = 0;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    const typed = field.value;
    if (CONDITIONS.includes(typed.toUpperCase())) {
      timer = setTimeout(() => {
        if (field.value === typed) {
          field.form.requestSubmit();
        }
      }, PAUSE_MS);
    }
  });
}

// One high tone confirms, two low tones warn. A browser that may not play sounds stays silent.
function playTone(audio, frequency, at) {
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
  const requested = Date.now();
  audio.resume().then(() => {
    // A late sound would seem to belong to another scan.
    if (Date.now() - requested > 1000) {
      return;
    }
    if (sound === "good") {
      playTone(audio, 1320, audio.currentTime);
    } else {
      playTone(audio, 330, audio.currentTime);
      playTone(audio, 260, audio.currentTime + 0.2);
    }
  });
}
