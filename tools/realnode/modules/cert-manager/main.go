// Command controller is cert-manager's controller with the issuers CA and SelfSigned. Upstream's own program is a module
// that the Go module proxy doesn't have, and all of its issuers would bring the clients of several clouds.
package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/klog/v2"

	"github.com/cert-manager/cert-manager/pkg/controller"

	_ "github.com/cert-manager/cert-manager/pkg/controller/certificate-shim/ingresses"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/metrics"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/clusterissuers"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
)

const workers = 2

func main() {
	klog.InitFlags(nil)
	namespace := flag.String("cluster-resource-namespace", "cert-manager", "where ClusterIssuers have their Secrets")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	options := controller.ContextOptions{}
	options.ClusterResourceNamespace = *namespace
	options.DefaultIssuerKind, options.DefaultIssuerGroup = "Issuer", "cert-manager.io"
	options.CopiedAnnotationPrefixes = []string{"*", "-kubectl.kubernetes.io/"}
	options.CertificateRequestMinimumBackoffDuration = time.Hour
	options.CertificateRequestMaximumBackoffDuration = 32 * time.Hour
	factory, err := controller.NewContextFactory(ctx, options)
	if err != nil {
		klog.Fatal(err)
	}
	shared, err := factory.Build()
	if err != nil {
		klog.Fatal(err)
	}
	for name, build := range controller.Known() {
		built, err := build(factory)
		if err != nil {
			klog.Fatalf("%s: %v", name, err)
		}
		go func() {
			if err := built.Run(workers, ctx); err != nil {
				klog.Fatalf("%s: %v", name, err)
			}
		}()
	}
	// After all of them have said what they watch.
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	klog.Infof("%d controllers started", len(controller.Known()))
	<-ctx.Done()
}
