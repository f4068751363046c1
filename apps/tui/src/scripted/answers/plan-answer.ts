import { type ConversationEvent, permits, type TurnId } from '@parley/protocol'

/** Plans that the model handed over in the turns of a run. */
export interface PlanAnswers {
  note(event: ConversationEvent): void
  /**
   * Returns the turn's plan if it was not approved: the plan is then the answer of the run. Null without a plan, or if the
   * turn has an output schema, which a plan does not follow.
   */
  of(turnId: TurnId): string | null
}

export function createPlanAnswers(): PlanAnswers {
  const plans = new Map<TurnId, { readonly approvalId: string; readonly text: string }>()
  const withSchema = new Set<TurnId>()
  return {
    note(event) {
      if (event.type === 'turn.started' && event.outputSchema !== undefined) withSchema.add(event.turnId)
      if (event.type === 'approval.requested' && event.approval.kind === 'plan') {
        const { id: approvalId, turnId, title, detail } = event.approval
        plans.set(turnId, { approvalId, text: `# ${title}\n\n${detail}` })
      }
      if (event.type !== 'approval.decided' || event.decision === 'withdrawn' || !permits(event.decision)) return
      for (const [turnId, { approvalId }] of plans) if (approvalId === event.approvalId) plans.delete(turnId)
    },
    of: (turnId) => (withSchema.has(turnId) ? null : (plans.get(turnId)?.text ?? null)),
  }
}
