import type { Fence } from '@parley/protocol/exec'
import type { PatchAttempt, PatchTarget } from '../patch/patch-files.ts'
import type { EnvironmentActions } from './environment.ts'

/** Right of this server to a conversation that a store has, which another server may take at any time. */
export interface Owner {
  /** Proof that requests to an exec-server carry. */
  readonly fence: Fence
  /** Resolves when it is certain that no other server has the conversation. Rejects with a final `StorageError`. */
  mayAct(): Promise<void>
  /** Throws `StorageError` where that is not certain at this instant. */
  assertMayAct(): void
  /** Called when an exec-server reports that another server has the conversation. */
  taken(): void
}

/**
 * Returns actions that start processes and change files only while their owner holds the conversation: this process can
 * be paused between any two steps, and wake when another server has taken over.
 */
export function ownedActions({ commands, kept, patches }: EnvironmentActions, owner: Owner): EnvironmentActions {
  return {
    commands: {
      warmUp: () => commands.warmUp(),
      runCommand(spec, options) {
        owner.assertMayAct()
        return commands.runCommand(spec, options)
      },
      spawnStreams(spec) {
        owner.assertMayAct()
        return commands.spawnStreams(spec)
      },
    },
    kept: {
      found: (areExpected) => kept.found(areExpected),
      follow(spec, options) {
        owner.assertMayAct()
        return kept.follow(spec, options)
      },
      forget: (name) => kept.forget(name),
      keepOnly: (names) => kept.keepOnly(names),
    },
    patches: ownedPatches(patches, owner),
  }
}

function ownedPatches(patches: PatchTarget, { mayAct }: Owner): PatchTarget {
  const once = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    await mayAct()
    return step()
  }
  return {
    realPath: patches.realPath,
    stat: patches.stat,
    readFile: patches.readFile,
    list: patches.list,
    readLink: patches.readLink,
    begin(tag): PatchAttempt {
      const attempt = patches.begin(tag)
      return {
        stage: (target, bytes, like) => once(() => attempt.stage(target, bytes, like)),
        stageLink: (target, leadsTo) => once(() => attempt.stageLink(target, leadsTo)),
        create: (staged, target) => once(() => attempt.create(staged, target)),
        replace: (staged, target, old) => once(() => attempt.replace(staged, target, old)),
        remove: (target, old) => once(() => attempt.remove(target, old)),
        rollBack: () => once(() => attempt.rollBack()),
        conclude: () => once(() => attempt.conclude()),
      }
    },
    removeStrays: (tag, paths) => once(() => patches.removeStrays(tag, paths)),
  }
}
