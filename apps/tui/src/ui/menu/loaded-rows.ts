import type { ListedConversation, ResultOf, Settings } from '@parley/protocol'
import { type MenuRow, plainRow } from './menu.ts'

/** Returns the models by provider, local ones included, then the providers that could not be asked. */
export function modelRows(
  { models, problems, local }: ResultOf<'model/list'>,
  current: Pick<Settings, 'model' | 'modelProvider'> | null,
): readonly MenuRow[] {
  const offered = [
    ...models.map(({ provider, id, current: isDefault }) => ({
      provider,
      id,
      detail: isDefault ? `${provider}, your default` : provider,
    })),
    ...local.flatMap(({ provider, name, models: ids }) =>
      ids.map((id) => ({ provider, id, detail: `${provider}, local by ${name}` })),
    ),
  ]
  const rows = offered.map(({ provider, id, detail }) => ({
    ...plainRow,
    key: `${provider} ${id}`,
    text: id,
    detail,
    isCurrent: provider === current?.modelProvider && id === current.model,
  }))
  const isListed = current === null || rows.some(({ isCurrent }) => isCurrent)
  return [
    ...(isListed ? [] : [unlistedRow(current)]),
    ...rows,
    ...problems.map(({ provider, message }) => ({
      ...plainRow,
      key: provider,
      text: provider,
      detail: message,
      isDisabled: true,
    })),
  ]
}

/** Returns the row of the model in use, which its provider does not list. */
function unlistedRow({ model, modelProvider }: Pick<Settings, 'model' | 'modelProvider'>): MenuRow {
  return {
    ...plainRow,
    key: `${modelProvider} ${model}`,
    text: model,
    detail: `${modelProvider}, which does not list it`,
    isCurrent: true,
  }
}

type Provider = ResultOf<'provider/list'>['providers'][number]

/** Returns the ways to log in, the provider in use first, with the state of each key. */
export function loginRows(
  { providers }: ResultOf<'provider/list'>,
  current: Pick<Settings, 'modelProvider'> | null,
): readonly MenuRow[] {
  const isInUse = ({ id }: Provider) => id === current?.modelProvider
  const offered = providers.filter(({ key }) => key !== 'notNeeded')
  const sorted = [...offered.filter(isInUse), ...offered.filter((provider) => !isInUse(provider))]
  return sorted.flatMap((provider) => {
    const { id, name, hasOAuth } = provider
    const row = { ...plainRow, text: id, detail: [name, keyWords(provider)].join(' · ') }
    const browser = { ...row, key: `${id} browser`, detail: `${row.detail} · in a browser` }
    return hasOAuth === true ? [browser, { ...row, key: `${id} key` }] : [{ ...row, key: `${id} key` }]
  })
}

function keyWords({ key, keyFrom = '' }: Provider): string {
  if (key === 'set') return `${keyFrom} is set and goes before a kept key`
  return key === 'kept' ? 'logged in; a new key takes its place' : 'no key yet'
}

const keptPlaces = { keyring: 'in the keyring', file: 'in credentials.json' } as const

/** Returns the logins that are kept here. */
export function logoutRows({ logins }: ResultOf<'login/status'>): readonly MenuRow[] {
  return logins.flatMap(({ provider, name, kind, keptIn }) =>
    keptIn === null
      ? []
      : [
          {
            ...plainRow,
            key: provider,
            text: provider,
            detail: `${name} · ${kind === 'key' ? 'key' : 'login'} ${keptPlaces[keptIn]}`,
            warning: `The ${kind === 'key' ? 'key' : 'login'} of ${provider} is forgotten here.`,
          },
        ],
  )
}

interface Listing {
  /** Process of this window's own server; its conversations do not count as live. */
  readonly ownPid: number | null
  readonly liveOnly: boolean
  readonly openId: string | null
}

export function conversationRows(
  conversations: readonly ListedConversation[],
  { ownPid, liveOnly, openId }: Listing,
): readonly MenuRow[] {
  return conversations
    .map((listed) => (listed.live?.pid === ownPid ? { ...listed, live: null } : listed))
    .filter(({ live }) => live !== null || !liveOnly)
    .map((listed) => ({
      ...plainRow,
      key: listed.conversationId,
      text: listed.name ?? listed.title,
      detail: '',
      isCurrent: listed.conversationId === openId,
      listed,
    }))
}
