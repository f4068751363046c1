import { type Composer, emptyComposer } from '@parley/presentation/composer/composer'
import type { Answers, ApprovalId, MessageId } from '@parley/protocol'
import type { AttachedImage } from '../complete/pasted-images.ts'

/** Text in the composer, and its use. */
export interface Composing {
  readonly composer: Composer
  readonly purpose: Purpose
  /** True if the user opened the composer over an approval, false if Escape closed it; null before either. */
  readonly writing: boolean | null
  /** Text of a message that a note or a form has replaced in the composer until it is done. */
  readonly setAside: Composer | null
  /** Index in the completion list. */
  readonly choice: number
  /** Text for which the completion list was closed. */
  readonly dismissed: string | null
  /** Images that were pasted by their paths: each is sent with a message that has its mark. */
  readonly images: readonly AttachedImage[]
}

export type Purpose =
  | { readonly kind: 'message' }
  /** Note to a denied call: what to do instead. */
  | { readonly kind: 'note'; readonly approvalId: ApprovalId }
  | { readonly kind: 'edit'; readonly messageId: MessageId }
  /** Field of a form. */
  | { readonly kind: 'form'; readonly form: FilledForm }

/** Form in progress, one field after the other; the text of the current field is in the composer. */
export interface FilledForm {
  readonly approvalId: ApprovalId
  /** Index of the current field. */
  readonly at: number
  readonly answers: Answers
  /** Index of the chosen option; -1 without a choice. */
  readonly choice: number
  /** Values that are ticked, of a field that takes several. */
  readonly ticked: readonly string[]
  /** Reason why the current field is invalid. */
  readonly problem: string | null
}

export const message: Purpose = { kind: 'message' }

export const emptyComposing: Composing = {
  composer: emptyComposer,
  purpose: message,
  writing: null,
  setAside: null,
  choice: 0,
  dismissed: null,
  images: [],
}
