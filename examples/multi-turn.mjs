// A conversation of several turns with a tool: what one run gave is where the next begins, through storage too.
import assert from 'node:assert/strict'
import { Conversation, run, tool } from 'toolwire'
import { scriptedModel } from 'toolwire/testing'
import { isOffline, modelOr } from './given-models.mjs'

const list = []
const shopping = tool({
  name: 'add_item',
  description: 'Puts an item on the shopping list, and gives the whole list',
  input: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
  execute: ({ item }) => {
    list.push(item)
    return list
  },
})
const add = (item) => ({ calls: [{ name: 'add_item', args: { item } }] })
const model = modelOr(
  scriptedModel([add('milk'), 'Milk is on the list.', add('bread'), 'Bread, too.', 'Milk and bread.']),
)

let stored = '[]'
for (const prompt of ['Put milk on my list.', 'And bread.', 'What is on it now?']) {
  // From storage: nothing in it is trusted.
  const conversation = Conversation.from(JSON.parse(stored)).user(prompt)
  const result = await run({ model, tools: [shopping], system: 'Keep the shopping list.', conversation })
  stored = JSON.stringify(result.messages)
  console.log(`> ${prompt}\n${result.text}`)
}

const messages = JSON.parse(stored)
assert.equal(messages.filter(({ role }) => role === 'system').length, 1)
assert.equal(messages.filter(({ role }) => role === 'user').length, 3)
if (isOffline) assert.deepEqual(list, ['milk', 'bread'])
console.log(`\n${messages.length} messages, ${list.length} items`)
