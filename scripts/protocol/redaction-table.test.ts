import { describe, expect, it } from 'vitest'
import { storedFacts } from '../../packages/protocol/src/schema/call-parts.ts'
import { conversationEvent, envelope } from '../../packages/protocol/src/schema/event.ts'
import { item } from '../../packages/protocol/src/schema/item.ts'
import { leftAlone } from '../../packages/protocol/src/schema/redaction-marks.ts'
import { markedFields } from './redaction-table.mjs'

interface MarkedField {
  readonly path: string
  readonly mark: { readonly leave?: string; readonly json?: true; readonly open?: object }
}

const message = item.options[1]
const plainText = message.shape.title
const fields = (schema: unknown): MarkedField[] => markedFields(schema)
const paths = (schema: unknown) => fields(schema).map(({ path }) => path)

describe('marked fields', () => {
  it('do not include a field that was added without a mark, however deep', () => {
    const added = message.extend({
      comment: plainText,
      comments: plainText.array(),
      more: message.pick({ text: true }),
    })
    expect(paths(added)).toEqual(paths(message))
  })

  it('include a marked field in a list, an optional field and a field with a description', () => {
    const marked = () => leftAlone(plainText.trim(), 'hash')
    const added = message.pick({ text: true }).extend({
      list: marked().array(),
      optional: marked().exactOptional(),
      described: marked().describe('A hash.'),
      either: marked().or(message.shape.text).nullable().describe('A text beside it.').pipe(plainText),
    })
    expect(paths(added)).toEqual(['described', 'list', 'optional'])
  })

  it('have one mark in all members of a union', () => {
    const one = message.extend({ digest: leftAlone(plainText.trim(), 'hash') })
    const other = message.extend({ digest: plainText })
    expect(() => fields(one.or(other))).toThrow('digest has different marks')
  })

  it('include a word of the schema, unless other texts may stand in its place', () => {
    const { type } = message.shape
    expect(paths(message.pick({ type: true }))).toEqual(['type'])
    expect(paths(message.pick({ text: true }).extend({ type: type.or(plainText) }))).toEqual([])
  })

  it('are not looked for in maps, whose keys have no path', () => {
    expect(fields(storedFacts)).toEqual([{ path: '', mark: { open: expect.anything() } }])
    expect(paths(envelope.pick({ at: true, seq: true }))).toEqual([])
  })
})

it('these fields of events are all that redaction does not treat as plain text', () => {
  const found = new Map<string, Set<string>>()
  for (const event of conversationEvent.options)
    for (const { path, mark } of fields(event)) {
      const reason = mark.leave ?? (mark.json ? 'json' : 'open')
      // A call that a hook rewrote is an item as any other.
      found.set(reason, (found.get(reason) ?? new Set()).add(path.replace(/^rewritten\.item\./, 'item.')))
    }
  const listed = [...found].map(([reason, all]): [string, string[]] => [reason, [...all].sort()])
  expect(Object.fromEntries(listed)).toEqual({
    hash: [
      'access.links.codeHash',
      ...['approval.contentHash', 'approval.files.after', 'approval.files.before', 'changes.after', 'changes.before'],
      ...['files.after.hash', 'files.before.hash'],
      ...['item.changes.after', 'item.changes.before', 'item.patchHash', 'payloadHash', 'request', 'seal'],
    ],
    id: [
      ...['access.links.linkId', 'access.members.user'],
      ...[
        'approval.answerableBy',
        'approval.id',
        'approval.itemId',
        'approval.turnId',
        'approvalId',
        'by.clientId',
        'by.user',
      ],
      ...['calls.callId', 'calls.itemId', 'decidedBy.approvalId', 'denials.itemId', 'failure.refused.itemIds'],
      ...['item.by.clientId', 'item.by.user'],
      ...[
        'item.decision.approvalId',
        'item.decision.by.clientId',
        'item.decision.by.user',
        'item.ended.itemId',
        'item.failure.refused.itemIds',
        'item.id',
        'item.messageId',
      ],
      ...[
        'item.printed',
        'item.remembered.by.clientId',
        'item.remembered.by.user',
        'item.requestKey',
        'item.rewind.by.clientId',
        'item.rewind.by.user',
        'item.typed',
        'itemId',
        'itemIds',
      ],
      ...[
        'message.by.clientId',
        'message.by.user',
        'message.messageId',
        'messageId',
        'parked',
        'pending',
        'requestKey',
        'turnId',
        'waits.itemId',
      ],
    ],
    json: ['calls.arguments', 'item.calls.arguments', 'item.input', 'message.calls.arguments', 'rewritten.arguments'],
    open: ['approval.facts', 'item.facts', 'parts'],
    path: [
      ...[
        'approval.always.file',
        'approval.cwd',
        'approval.rule.file',
        'cwd',
        'decidedBy.rule.file',
        'files.path',
        'item.cwd',
      ],
      ...['item.decision.rule.file', 'item.rule.file', 'settings.writableRoots'],
    ],
    sideFile: [
      ...[
        'carried',
        'content.file',
        'instructions',
        'item.content.file',
        'item.images.file',
        'item.output.file',
        'list',
      ],
      ...['message.content.file', 'sessionContext', 'tools'],
    ],
    stream: ['tail', 'text'],
    word: [
      ...['content.mediaType', 'content.type', 'item.content.mediaType', 'item.content.type'],
      ...['item.decision.scope', 'item.images.mediaType', 'item.type'],
      ...['message.content.mediaType', 'message.content.type', 'purpose', 'scope', 'type', 'why'],
    ],
  })
})
