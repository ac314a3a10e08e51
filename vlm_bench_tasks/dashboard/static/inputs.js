// What is held: keys, by their places on a US keyboard, and a gamepad.

const DEAD_ZONE = 0.15; // of a stick

// Along right, away and up; about right, away and up.
export const MOVES = {
  KeyD: [1, 0, 0, 0, 0, 0], KeyA: [-1, 0, 0, 0, 0, 0], KeyW: [0, 1, 0, 0, 0, 0], KeyS: [0, -1, 0, 0, 0, 0], KeyE: [0, 0, 1, 0, 0, 0], KeyQ: [0, 0, -1, 0, 0, 0],
  KeyI: [0, 0, 0, 1, 0, 0], KeyK: [0, 0, 0, -1, 0, 0], KeyO: [0, 0, 0, 0, 1, 0], KeyU: [0, 0, 0, 0, -1, 0], KeyJ: [0, 0, 0, 0, 0, 1], KeyL: [0, 0, 0, 0, 0, -1],
  KeyT: [0, 0, 0, 0, 0, 0],
};

export class Pad {
  #ready = false; // it was seen at rest
  #pressed = false;

  // `hand` is called when the button of the hand is pressed.
  constructor(hand) {
    this.hand = hand;
  }

  // What is held now was meant for something else.
  forget() {
    this.#ready = false;
  }

  // Sticks: left along the table, right up and about the upright; triggers tilt; the lowest button is the hand, the second lets time pass.
  // Returns a list of at most one wish. Devices of other kinds rest anywhere, so they are not read.
  read() {
    const pad = [...(navigator.getGamepads?.() ?? [])].find((one) => one?.connected && one.mapping === 'standard');
    if (!pad || document.hidden || !document.hasFocus()) {
      this.#ready = false;
      return [];
    }
    const beyond = (value = 0) => (Math.abs(value) < DEAD_ZONE ? 0 : (Math.sign(value) * (Math.abs(value) - DEAD_ZONE)) / (1 - DEAD_ZONE));
    const tilt = beyond((pad.buttons[7]?.value ?? 0) - (pad.buttons[6]?.value ?? 0));
    const wish = [beyond(pad.axes[0]), -beyond(pad.axes[1]), -beyond(pad.axes[3]), tilt, 0, -beyond(pad.axes[2])];
    const pressed = pad.buttons[0]?.pressed ?? false;
    const acts = wish.some(Boolean) || pad.buttons[1]?.pressed;
    this.#ready ||= !acts && !pressed;
    if (!this.#ready) return [];
    if (pressed && !this.#pressed) this.hand();
    this.#pressed = pressed;
    return acts ? [wish] : [];
  }
}
