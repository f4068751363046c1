import { limitsWords } from '@parley/presentation/limits/limits-words'
import { showEffects } from '@parley/presentation/text/control-characters'
import { placedPath } from '@parley/presentation/text/formats'
import type { ConversationCore } from '@parley/protocol'
import { placeName, usageWords } from '../words/words.ts'

/** Title of a conversation with its model, folder, limits and usage. */
export function AboutConversation({ core }: { readonly core: ConversationCore }) {
  const { meta, settings, usage } = core
  const isOpen = settings.sandbox === 'danger-full-access' || settings.approvalPolicy === 'never'
  return (
    <div className="about">
      <h1>{showEffects(meta.name ?? (meta.title || 'New conversation'))}</h1>
      <p className="muted">
        <span>{showEffects([settings.model, settings.effort].filter(Boolean).join(' '))}</span> ·{' '}
        <span title={placedPath(meta.cwd, settings.environment, '')}>
          {showEffects(placeName(meta.cwd, settings.environment))}
        </span>{' '}
        · <span className={isOpen ? 't-bad' : ''}>{limitsWords(core)}</span>
        {usageWords(usage) === '' ? '' : ` · ${usageWords(usage)}`}
      </p>
    </div>
  )
}
