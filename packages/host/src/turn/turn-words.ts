/** What a model is told that nobody said: why it is asked like this. */
export const turnWords = Object.freeze({
  stuck:
    'You have asked for the same tool calls three times in a row; they were not run again. No more tools are available now. Answer with what you know, and say what is missing.',
  iterations:
    'This turn has used all steps that it may take with tools. No more tools are available now. Answer with what you know, and say what is left to do.',
  cut: 'Your reply was cut because it was too long, and none of its tool calls was run. Ask for less at once: shorter arguments, fewer calls.',
  filtered:
    'The rest of your reply was withheld by a filter of the model, and none of its tool calls was run. Go on without what caused it.',
});
