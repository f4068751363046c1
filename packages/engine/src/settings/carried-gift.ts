import { readIfExists } from '@parley/host'
import type { Files } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import { isRecord } from '@parley/text'
import {
  giftPath,
  type PersonsGift,
  readGift,
  type SealPorts,
  sealedGift,
  takeGift,
  unsealedGift,
} from './given-limits.ts'

type GiftPorts = SealPorts & { readonly files: Files }

/** Carries what people gave conversations beyond the configuration from one server of a store to the next. */
export interface CarriedGifts {
  /** Returns what reads the gift of a conversation, sealed, its file of rules too; null for none. */
  readerOf(conversationId: ConversationId): () => object | null
  /** Keeps a gift that another server has carried here, unless its seal is wrong. */
  receive(conversationId: ConversationId, carried: unknown): void
}

export function createCarriedGifts(ports: GiftPorts): CarriedGifts {
  const { files, home, redaction } = ports
  return {
    readerOf(id) {
      const path = giftPath(home, id)
      let known: { readonly file: string; readonly carried: object } | null = null
      return () => {
        const facts = path === null ? null : files.look(path)
        // Each is a new file.
        const file = facts === null ? null : `${facts.inode} ${facts.changedAtMs}`
        if (file === null) known = null
        else if (known?.file !== file) {
          const gift = readGift(ports, id)
          known = { file, carried: { ...sealedGift(redaction, id, gift), rulesSeal: rulesSealOf(id, gift) } }
        }
        return known?.carried ?? null
      }
    },
    receive(id, carried) {
      const gift = unsealedGift(redaction, id, carried)
      if (gift === null || !isRecord(carried)) return
      // A file of that name may say something else on this machine: it may forbid and ask then, and allows nothing.
      const rulesSeal = rulesSealOf(id, gift)
      const isSameFile = rulesSeal !== null && rulesSeal === carried['rulesSeal']
      takeGift(ports, id, { ...gift, policyFile: isSameFile ? gift.policyFile : null })
    },
  }

  /** Seals a file of rules as it is now; null where there is none. */
  function rulesSealOf(id: ConversationId, { policyFile }: PersonsGift): string | null {
    const text = policyFile === null ? null : readIfExists(policyFile)
    return text === null ? null : redaction.seal(JSON.stringify(['rules', id, policyFile, text]))
  }
}
