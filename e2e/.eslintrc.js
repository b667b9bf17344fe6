module.exports = require('@backstage/cli/config/eslint-factory')(__dirname, {
  rules: {
    // Nothing here is built: files are where they are in the checkout.
    'no-restricted-syntax': 'off',
  },
});
