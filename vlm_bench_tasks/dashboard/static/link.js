// The connection to the server: requests with answers. It is opened again when it is lost.

const WAIT_MS = [500, 1000, 2000, 4000];

export class Link {
  #socket = null;
  #waiting = new Map();
  #number = 0;
  #lost = 0;

  // `told` receives 'open', 'lost' or 'refused'.
  constructor(token, told) {
    this.token = token;
    this.told = told;
    this.#connect();
  }

  get lost() {
    return this.#socket?.readyState !== WebSocket.OPEN;
  }

  // Returns a promise of the answer: an object, or a Blob for a picture. It is rejected with a sentence.
  ask(what, fields = {}) {
    return new Promise((resolve, reject) => {
      if (this.lost) {
        reject(new Error('The connection is lost.'));
        return;
      }
      this.#number = (this.#number + 1) % 2 ** 30;
      this.#waiting.set(this.#number, { resolve, reject });
      this.#socket.send(JSON.stringify({ id: this.#number, do: what, ...fields }));
    });
  }

  #connect() {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/socket?token=${encodeURIComponent(this.token)}`);
    let opened = false;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      opened = true;
      this.#lost = 0;
      this.told('open');
    });
    socket.addEventListener('message', (event) => this.#hear(event.data));
    socket.addEventListener('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The connection is lost.'));
      this.#waiting.clear();
      this.told(opened ? 'lost' : 'refused');
      setTimeout(() => this.#connect(), WAIT_MS[Math.min(this.#lost, WAIT_MS.length - 1)]);
      this.#lost += 1;
    });
    this.#socket = socket;
  }

  #hear(data) {
    if (typeof data === 'string') {
      const { id, ok, error } = JSON.parse(data);
      const waiting = this.#taken(id);
      if (error === undefined) waiting?.resolve(ok);
      else waiting?.reject(new Error(error));
    } else {
      this.#taken(new DataView(data).getUint32(0, true))?.resolve(new Blob([new Uint8Array(data, 4)]));
    }
  }

  #taken(id) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}
