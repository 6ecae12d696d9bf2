"""What makes a CustomResourceDefinition acceptable (apiextensions-apiserver, pkg/apis/apiextensions/validation)."""
