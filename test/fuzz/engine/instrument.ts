import ts from 'typescript-5.4';

/** The name under which counted code finds its counters. */
export const COUNTERS = '__fuzzCounters';

/**
 * A TypeScript file as JavaScript that counts each of its branches: function bodies, both ways of each `if` and `?:`, loops, cases,
 * catches, and the right side of `&&`, `||` and `??`. `site` gives the number of the next counter. Positions stay those of the source.
 */
export function instrument(text: string, fileName: string, site: () => number): string {
  const transformed = ts.transpileModule(text, {
    fileName,
    compilerOptions: {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      isolatedModules: true,
      inlineSourceMap: true,
    },
    transformers: {
      before: [(context) => (file) => ts.visitEachChild(file, visitor(context, site), context)],
    },
  });
  return transformed.outputText;
}

function visitor(context: ts.TransformationContext, site: () => number): ts.Visitor {
  const { factory } = context;
  const count = (): ts.Expression =>
    factory.createPostfixIncrement(
      factory.createElementAccessExpression(factory.createIdentifier(COUNTERS), site()),
    );
  const counted = (statement: ts.Statement): ts.Block =>
    factory.createBlock(
      [
        factory.createExpressionStatement(count()),
        ...(ts.isBlock(statement) ? statement.statements : [statement]),
      ],
      true,
    );
  const countedValue = (value: ts.Expression): ts.Expression =>
    factory.createParenthesizedExpression(factory.createComma(count(), value));
  const bodies = new WeakSet<ts.Node>();
  const visit: ts.Visitor = (node) => {
    if (
      ts.isFunctionLike(node) &&
      !ts.isConstructorDeclaration(node) &&
      'body' in node &&
      node.body !== undefined
    )
      bodies.add(node.body as ts.Node);
    const below = ts.visitEachChild(node, visit, context);
    if (ts.isBlock(below) && bodies.has(node)) return counted(below);
    if (ts.isIfStatement(below)) {
      const otherwise = below.elseStatement ?? factory.createBlock([]);
      return factory.updateIfStatement(
        below,
        below.expression,
        counted(below.thenStatement),
        counted(otherwise),
      );
    }
    if (ts.isConditionalExpression(below)) {
      const { condition, questionToken, whenTrue, colonToken, whenFalse } = below;
      return factory.updateConditionalExpression(
        below,
        condition,
        questionToken,
        countedValue(whenTrue),
        colonToken,
        countedValue(whenFalse),
      );
    }
    if (ts.isBinaryExpression(below) && SHORT.has(below.operatorToken.kind))
      return factory.updateBinaryExpression(
        below,
        below.left,
        below.operatorToken,
        countedValue(below.right),
      );
    if (ts.isArrowFunction(below) && !ts.isBlock(below.body)) {
      const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken, body } = below;
      return factory.updateArrowFunction(
        below,
        modifiers,
        typeParameters,
        parameters,
        type,
        equalsGreaterThanToken,
        countedValue(body),
      );
    }
    if (ts.isCaseClause(below))
      return factory.updateCaseClause(below, below.expression, [
        counted(factory.createBlock([])),
        ...below.statements,
      ]);
    if (ts.isDefaultClause(below))
      return factory.updateDefaultClause(below, [counted(factory.createBlock([])), ...below.statements]);
    return countedBody(below, counted, factory);
  };
  return visit;
}

const SHORT: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);

/** Loops and catches begin with their count. */
function countedBody(
  node: ts.Node,
  counted: (statement: ts.Statement) => ts.Block,
  factory: ts.NodeFactory,
): ts.Node {
  if (ts.isForStatement(node))
    return factory.updateForStatement(
      node,
      node.initializer,
      node.condition,
      node.incrementor,
      counted(node.statement),
    );
  if (ts.isForOfStatement(node))
    return factory.updateForOfStatement(
      node,
      node.awaitModifier,
      node.initializer,
      node.expression,
      counted(node.statement),
    );
  if (ts.isForInStatement(node))
    return factory.updateForInStatement(node, node.initializer, node.expression, counted(node.statement));
  if (ts.isWhileStatement(node))
    return factory.updateWhileStatement(node, node.expression, counted(node.statement));
  if (ts.isDoStatement(node))
    return factory.updateDoStatement(node, counted(node.statement), node.expression);
  if (ts.isCatchClause(node))
    return factory.updateCatchClause(node, node.variableDeclaration, counted(node.block));
  return node;
}
