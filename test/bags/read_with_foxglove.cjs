// Reads a bag with nothing of ours: Foxglove's own readers of MCAP, of message definitions and of CDR. Prints what it found as JSON.
const { open } = require('node:fs/promises');
const { McapIndexedReader } = require('@mcap/core');
const { FileHandleReadable } = require('@mcap/nodejs');
const { loadDecompressHandlers } = require('@mcap/support');
const { parse } = require('@foxglove/rosmsg');
const { MessageReader } = require('@foxglove/rosmsg2-serialization');

async function main(path) {
  const readable = new FileHandleReadable(await open(path, 'r'));
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers: await loadDecompressHandlers() });
  const readers = new Map();
  const topics = {};
  let newest = 0n;
  for await (const message of reader.readMessages()) {
    const channel = reader.channelsById.get(message.channelId);
    const schema = reader.schemasById.get(channel.schemaId);
    if (!readers.has(message.channelId)) {
      const text = new TextDecoder().decode(schema.data);
      readers.set(message.channelId, new MessageReader(parse(text, { ros2: true })));
      const about = { type: schema.name, definition: schema.encoding, encoding: channel.messageEncoding, qos: channel.metadata.get('offered_qos_profiles') };
      topics[channel.topic] = { ...about, count: 0, ordered: true, jpegs: 0 };
    }
    const value = readers.get(message.channelId).readMessage(message.data);
    const topic = topics[channel.topic];
    topic.count += 1;
    topic.ordered = topic.ordered && message.logTime >= newest;
    topic.jpegs += value.format === 'jpeg' && value.data[0] === 0xff && value.data[1] === 0xd8 ? 1 : 0;
    newest = message.logTime;
  }
  console.log(JSON.stringify({ profile: reader.header.profile, messages: Number(reader.statistics.messageCount), topics }));
}

main(process.argv[2]).catch((error) => { console.error(error); process.exit(1); });
