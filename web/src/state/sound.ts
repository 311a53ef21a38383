// A short, soft tone when somebody is waited for.

const SECONDS = 0.18;

export function beep(): void {
  try {
    const context = new AudioContext();
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.frequency.value = 660;
    volume.gain.setValueAtTime(0.08, context.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.0001, context.currentTime + SECONDS);
    tone.connect(volume).connect(context.destination);
    tone.onended = () => void context.close();
    tone.start();
    tone.stop(context.currentTime + SECONDS);
  } catch {
    // Not every browser lets a page sound before it was touched.
  }
}
