// Written by `npm run generate` from the schemas in schema/. Do not edit.

/**
 * Shapes of the fields of events by type, as JSON: objects list fields (`?`: optional), lists are `=` words, `list`,
 * `map` or `or`, texts name a kind or `#` shape.
 */
export const eventShapes: Readonly<Record<string, string>> = {
  '#actor': '{"clientId":"text","name":"text","title?":"text","user?":"text"}',
  '#alwaysRule': '{"label":"text","rule":"text","file":"text"}',
  '#answer': '["or","text","number","boolean",["list","text"]]',
  '#approvalKind': '["=","command","patch","escalation","network","mcpTool","read","elicitation","question","plan"]',
  '#approvalPolicy': '["=","untrusted","on-failure","on-request","never"]',
  '#approvalRequest':
    '{"id":"text","itemId":"text","turnId":"text","kind":"#approvalKind","title":"text","detail":"text","files?":["list","#askedFile"],"command?":["list","text"],"cwd":"text","environment?":"text","env?":["map","text"],"sandbox":["or","#sandboxMode",["=","none"]],"network?":"boolean","background?":["=",true],"attempt?":"int>=2","justification?":"text","contentHash?":"text","reason":"text","askedAgain?":["=","planChanged","foreignAnswer","modeNotInForce"],"rule":"#ruleRef","reaches?":"#sandboxMode","decisions":["list","#decision"],"forSession?":{"covers":"text","any?":"text"},"always?":"#alwaysRule","facts?":["map","any"],"answerableBy":["list","text"],"form?":"#form"}',
  '#askedFile':
    '{"path":"text","kind":["=","add","update","delete"],"link?":["=",true],"movedTo?":"text","additions":"int","deletions":"int","before":["or","null","text"],"after":["or","null","text"],"real?":"text","realMovedTo?":"text","deletedBytes?":"int>=0","notes?":["list","text"]}',
  '#callKind': '["=","read","edit","delete","move","search","execute","fetch","think","other"]',
  '#callLocation': '{"path":"text","line?":"int>=1"}',
  '#changedPath': '{"path":"text","before":["or","null","#pathContent"],"after":["or","null","#pathContent"]}',
  '#compactionTrigger': '["=","auto","manual","contextTooLong"]',
  '#contentItem':
    '["or",{"type":["=","text"],"text":"text","file?":"text","totalBytes?":"int>=0","totalLines?":"int>=1"},{"file":"text","mediaType":"text","name":"text","type":["=","image"]}]',
  '#decision': '["=","approved","approvedForSession","approvedAlways","denied","abort"]',
  '#decisionRecord':
    '{"verdict":["=","allow","ask","deny"],"rule":"#ruleRef","reason":"text","code?":"text","approvalId?":"text","answer?":"text","scope?":["=","any"],"by?":"#actor","note?":"text","limits?":"#runLimits"}',
  '#denial': '{"itemId":"text","title":"text","reason":"text"}',
  '#endedCommand':
    '{"itemId":"text","exitCode?":"int","signal?":"text","timedOut?":["=",true],"exchanged?":["list","text"],"stopped?":["=",true],"durationMs?":"number"}',
  '#enforcement': '["=","full","partial","none"]',
  '#failure':
    '{"code":"text","message":"text","fault?":"text","status?":"int","refused?":{"itemIds":["list","text"],"seqs":["list","int"],"what":"text"}}',
  '#fileChangeEntry':
    '{"path":"text","kind":["=","add","update","delete"],"link?":["=",true],"movedTo?":"text","additions":"int","deletions":"int","diff":"text","before":["or","null","text"],"after":["or","null","text"]}',
  '#finding':
    '{"severity":["=","critical","high","medium","low"],"file":"text","line?":"int>=1","endLine?":"int>=1","title":"text","why":"text","suggestion?":{"old":"text","new":"text"}}',
  '#form': '{"fields":["list","#formField"]}',
  '#formField':
    '{"name":"text","title":"text","description?":"text","type":["=","string","number","integer","boolean","choice","choices"],"format?":["=","email","uri","date","date-time"],"choices?":["list",{"value":"text","title":"text"}],"required":"boolean","default?":"#answer"}',
  '#forward': '{"port":"int","url":"text"}',
  '#hint':
    '{"about":["=","writtenThrough","secondRun","sandboxBlock","deniedRetry","hookChange","repetition"],"text":"text"}',
  '#item':
    '["or",{"id":"text","status":"#itemStatus","title":"text","text":"text","type":["=","userMessage"],"content":["list","#contentItem"],"calls?":["list","#messageCall"],"ofChecks?":["=",true],"messageId?":"text","by?":"#actor"},{"id":"text","status":"#itemStatus","title":"text","text":"text","type":["=","agentMessage"],"images?":["list","#storedImage"],"continues?":["=",true]},{"id":"text","status":"#itemStatus","title":"text","text":"text","type":["=","reasoning"],"raw?":["=",true]},{"id":"text","status":"#itemStatus","title":"text","text":"text","tool":"text","kind?":"#callKind","locations?":["list","#callLocation"],"readOnly?":["=",true],"attempt?":"int>=1","decision?":"#decisionRecord","restorable?":["=",false],"facts?":["map","any"],"modelText?":"text","hints?":["list","#hint"],"notRun?":["=",true],"failure?":"#failure","durationMs?":"number","type":["=","commandExecution"],"command":["list","text"],"cwd":"text","escalation?":"text","network?":"text","sandboxBlock?":"#sandboxBlock","background?":["=",true],"backgroundStart?":{"stdin":["=","pipe","terminal"],"timeoutMs?":"number","tellWhen?":"text"},"exitCode?":["or","null","int"],"signal?":"text","output?":"#output","images?":["list","#storedImage"]},{"id":"text","status":"#itemStatus","title":"text","text":"text","tool":"text","kind?":"#callKind","locations?":["list","#callLocation"],"readOnly?":["=",true],"attempt?":"int>=1","decision?":"#decisionRecord","restorable?":["=",false],"facts?":["map","any"],"modelText?":"text","hints?":["list","#hint"],"notRun?":["=",true],"failure?":"#failure","durationMs?":"number","type":["=","fileChange"],"changes":["list","#fileChangeEntry"],"patchHash":"text","rewind?":{"to":"int","from":"int","by":"#actor"},"remembered?":{"from":"int","by":"#actor"}},{"id":"text","status":"#itemStatus","title":"text","text":"text","tool":"text","kind?":"#callKind","locations?":["list","#callLocation"],"readOnly?":["=",true],"attempt?":"int>=1","decision?":"#decisionRecord","restorable?":["=",false],"facts?":["map","any"],"modelText?":"text","hints?":["list","#hint"],"notRun?":["=",true],"failure?":"#failure","durationMs?":"number","type":["=","toolCall"],"input":"text","output?":"#output","images?":["list","#storedImage"],"skill?":{"name":"text","allowedTools?":["list","text"]},"findings?":["list","#finding"],"knownTools?":["list","text"]},{"id":"text","status":"#itemStatus","title":"text","text":"text","type":["=","shellCommand"],"command":"text","cwd":"text","exitCode?":["or","null","int"],"durationMs?":"number","output?":"#output","modelText?":"text","failure?":"#failure","by?":"#actor","requestKey?":"text"},{"id":"text","status":"#itemStatus","title":"text","text":"text","type":["=","contextCompaction"],"trigger":"#compactionTrigger","instructions?":"text","failure?":"#failure","leftOut?":{"from":"int>=1","to":"int>=1"},"by?":"#actor","requestKey?":"text"},{"id":"text","status":"#itemStatus","title":"text","text":"text","type":["=","notice"],"level":["=","info","warning","error"],"code":"text","printed?":"text","ended?":["list","#endedCommand"],"why?":"text","rule?":{"file":"text","line":"int"},"typed?":"text","by?":"#actor"}]',
  '#itemStatus':
    '["=","proposed","awaitingApproval","inProgress","completed","failed","denied","interrupted","unknown"]',
  '#limitName': '["=","modelCalls","tokens","costUsd","price"]',
  '#lostRange': '{"fromSeq":"int","toSeq":"int","reason":"text"}',
  '#messageCall': '{"name":"text","arguments":"text"}',
  '#modelChoice': '{"modelProvider":"text+","model":"text+"}',
  '#output':
    '{"head":"text","tail":"text","totalBytes":"int>=0","omittedBytes":"int>=0","totalLines?":"int>=0","file?":"text","binary?":["=",true]}',
  '#outputWait': '{"itemId":"text","pattern":"text","fromByte":"int>=0"}',
  '#pathContent': '{"hash?":"text","mode?":"int","link?":["=",true]}',
  '#plan': '{"explanation?":"text","steps":["list",{"step":"text","status":["=","pending","inProgress","completed"]}]}',
  '#queuedMessage':
    '{"messageId":"text","when":["=","queue","steer"],"content":["list","#contentItem"],"calls?":["list","#messageCall"],"outputSchema?":["map","any"],"budget?":"#turnBudget","purpose?":"#turnPurpose","checks?":"#turnChecks","by":"#actor"}',
  '#ruleRef': '{"name":"text","file?":"text","line?":"int"}',
  '#runLimits': '{"sandbox":["or","#sandboxMode",["=","none"]],"network":"boolean"}',
  '#sandboxBlock':
    '{"paths":["list","text"],"network":"boolean","hidden?":["list","text"],"unmakeable?":["list","text"]}',
  '#sandboxMode': '["=","read-only","workspace-write","danger-full-access"]',
  '#settings':
    '{"model":"text+","modelProvider":"text+","effort?":"text+","approvalPolicy":"#approvalPolicy","sandbox":"#sandboxMode","enforcement":"#enforcement","writableRoots":["list","text"],"network?":"boolean","unixSockets?":"boolean","profile?":"text","baseInstructions?":"text","policyFile?":"text","environment?":"text"}',
  '#settingsChange':
    '{"model?":"text+","modelProvider?":"text+","effort?":"text+","approvalPolicy?":"#approvalPolicy","sandbox?":"#sandboxMode","enforcement?":"#enforcement","writableRoots?":["list","text"],"network?":"boolean","unixSockets?":"boolean"}',
  '#stopReason': '["=","done","outputLimit","filtered","context","budget","interrupted","failed"]',
  '#storedImage': '{"file":"text","mediaType":"text","name":"text"}',
  '#tokenCounts':
    '{"inputTokens":"int>=0","cachedInputTokens":"int>=0","cacheWriteTokens?":"int>=0","outputTokens":"int>=0","reasoningTokens":"int>=0","costUsd?":"number>=0","isPartCost?":["=",true]}',
  '#turnBudget': '{"modelCalls?":"int>=1","tokens?":"int>=1","costUsd?":"number>0"}',
  '#turnChecks': '{"commands":["list","text+"],"rounds":"int>=0"}',
  '#turnOutcome': '["=","completed","interrupted","failed"]',
  '#turnPurpose': '["=","review"]',
  'conversation.created':
    '{"cwd":"text","settings":"#settings","program":"text","title?":"text","access?":{"members":["list",{"user":"text","role":["=","owner","editor","approver","reader"]}],"links":["list",{"linkId":"text","codeHash":"text","expiresAt":"number"}]}}',
  'conversation.configured': '{"settings":"#settingsChange","by?":"#actor"}',
  'conversation.moved': '{"cwd":"text","local?":["=",true],"by?":"#actor"}',
  'conversation.renamed': '{"name":"text","by?":"#actor"}',
  'conversation.archived': '{"archived":"boolean","by?":"#actor"}',
  'conversation.shared':
    '{"access":{"members":["list",{"user":"text","role":["=","owner","editor","approver","reader"]}],"links":["list",{"linkId":"text","codeHash":"text","expiresAt":"number"}]},"by?":"#actor"}',
  'conversation.recovered':
    '{"by":{"pid":"int","program":"text"},"lost":["list","#lostRange"],"tornBytes":"int>=0","parked":["or","null","text"],"pending":["list","text"],"text":"text"}',
  'conversation.upgraded': '{"from":"int","to":"int"}',
  'context.set':
    '{"instructions":"text","tools":"text","sessionContext":"text","adapter":"text","instructionFiles":["list","text"],"skills?":["list",{"name":"text","path":"text"}]}',
  'context.cleared':
    '{"turnId":"text","itemId":"text","itemIds":["list","text"],"tokensBefore":"int>=0","tokensAfter":"int>=0","trigger":"#compactionTrigger","why?":["=","refused"],"seqs?":["list","int"],"by?":"#actor"}',
  'context.compacted':
    '{"turnId":"text","itemId":"text","from":"int","to":"int","summary":"text","carried":"text","tokensBefore":"int>=0","tokensAfter":"int>=0","trigger":"#compactionTrigger","by?":"#actor"}',
  'context.restored': '{"seq":"int","tokensAfter":"int>=0","by?":"#actor"}',
  'message.queued': '{"message":"#queuedMessage"}',
  'message.edited': '{"messageId":"text","content":["list","#contentItem"],"by?":"#actor"}',
  'message.removed': '{"messageId":"text","by?":"#actor"}',
  'message.consumed': '{"messageId":"text"}',
  'turn.started':
    '{"turnId":"text","trigger":["=","message","inbox","compaction"],"outputSchema?":["map","any"],"budget?":"#turnBudget","purpose?":"#turnPurpose","checks?":"#turnChecks","enforcement?":"#enforcement","requestKey?":"text"}',
  'turn.parked': '{"turnId":"text","reason":"text","limit?":"#limitName","missingKey?":"text+"}',
  'turn.continued': '{"turnId":"text","by?":"#actor","requestKey?":"text"}',
  'turn.ended':
    '{"turnId":"text","outcome":"#turnOutcome","failure?":"#failure","stopReason?":"#stopReason","usage":"#tokenCounts","denials":["list","#denial"],"answerProblem?":"text"}',
  'model.requested': '{"turnId":"text","attempt":"int>=1","request?":"text"}',
  'model.responded':
    '{"turnId":"text","adapter":"text","parts":["list","any"],"text":"text","calls":["list",{"itemId":"text","callId":"text","name":"text","arguments":"text"}]}',
  'item.started': '{"turnId?":"text","item":"#item"}',
  'item.delta': '{"itemId":"text","text":"text"}',
  'item.progress': '{"itemId":"text","totalBytes":"int","tail":"text"}',
  'execution.started':
    '{"itemId":"text","attempt":"int>=1","decidedBy":["or",{"rule":"#ruleRef","reason":"text"},{"approvalId":"text"}],"payloadHash":"text","limits?":"#runLimits","changes?":["list","#fileChangeEntry"]}',
  'execution.failed': '{"itemId":"text","attempt":"int>=1","item":"#item"}',
  'files.changed': '{"itemId":"text","count":"int>=0","files":["list","#changedPath"],"list?":"text"}',
  'hooks.started':
    '{"on":["=","SessionStart","SessionEnd","UserPromptSubmit","PreToolUse","PostToolUse","PermissionRequest","PermissionDecision","PreCompact","Stop","Notification"],"turnId?":"text","itemId?":"text","hooks":["list",{"name":"text","on":["=","SessionStart","SessionEnd","UserPromptSubmit","PreToolUse","PostToolUse","PermissionRequest","PermissionDecision","PreCompact","Stop","Notification"],"source":["=","user","project"],"required?":["=",true]}]}',
  'hook.running':
    '{"hook":{"name":"text","on":["=","SessionStart","SessionEnd","UserPromptSubmit","PreToolUse","PostToolUse","PermissionRequest","PermissionDecision","PreCompact","Stop","Notification"],"source":["=","user","project"]},"turnId":"text","itemId?":"text","durationMs":"int>=0"}',
  'hook.ran':
    '{"hook":{"name":"text","on":["=","SessionStart","SessionEnd","UserPromptSubmit","PreToolUse","PostToolUse","PermissionRequest","PermissionDecision","PreCompact","Stop","Notification"],"source":["=","user","project"]},"turnId?":"text","itemId?":"text","messageId?":"text","outcome":["=","passed","asked","stopped","failed","interrupted"],"reason?":"text","endsTurn?":["=",true],"context?":"text","rewritten?":{"arguments":"text","item":"#item"},"said?":"text","exitCode?":"int","durationMs":"int>=0"}',
  'item.completed': '{"turnId?":"text","item":"#item"}',
  'item.discarded': '{"itemId":"text","reason":"text"}',
  'approval.requested': '{"approval":"#approvalRequest"}',
  'approval.decided':
    '{"approvalId":"text","decision":["or","#decision",["=","withdrawn"]],"note?":"text","answers?":["map","#answer"],"by":"#actor","scope?":["=","any"],"seal?":"text"}',
  'plan.updated': '{"plan":"#plan"}',
  'forwards.changed': '{"forwards":["list","#forward"],"by?":"#actor"}',
  'waits.changed': '{"waits":["list","#outputWait"],"by?":"#actor"}',
  'usage.updated':
    '{"turnId":"text","counts":"#tokenCounts","by?":"#modelChoice","contextWindow?":"int","purpose?":["=","compaction"],"stopReason?":"#stopReason","stopWords?":"text","paused?":["=",true]}',
  'retry.scheduled':
    '{"turnId":"text","retryAt":"number","attempt":"int","attempts?":"int","failure":"#failure","asked?":["=",true],"network?":["=",true]}',
  'model.fellBack': '{"turnId":"text","modelProvider":"text+","model":"text+","failure":"#failure"}',
}
