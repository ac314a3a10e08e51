// A page that was opened as a file may not start a worker, which the search needs. Then an invisible frame runs the worker's script in this thread.
if (location.protocol === 'file:') {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = Object.assign(document.createElement('iframe'), { width: 0, height: 0, frameBorder: 0, hidden: true });
      document.body.appendChild(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent('message', { data }));
      inside.importScripts = (...urls) => urls.reduce((before, next) => before.then(() => this.load(next)), Promise.resolve());
      this.load(url).then(() => { const sent = this.waiting; this.waiting = null; sent.forEach((data) => this.postMessage(data)); });
    }

    load(url) {
      return new Promise((resolve, reject) => {
        const script = this.frame.contentDocument.createElement('script');
        Object.assign(script, { src: new URL(url, location.href).href, onload: resolve, onerror: reject });
        this.frame.contentDocument.body.appendChild(script);
      });
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.frame.contentWindow.dispatchEvent(new MessageEvent('message', { data }));
    }

    terminate() { this.frame.remove(); }
  };
}
